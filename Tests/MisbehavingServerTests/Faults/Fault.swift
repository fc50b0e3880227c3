import Sallyport
import SallyportProtocol
import Testing

/// One fault of a server, and the expected result.
struct Fault: Sendable, CustomTestStringConvertible {
  /// The expected result of a sign-in.
  enum Outcome: Sendable {
    /// The sign-in fails with this error.
    case refused(SignInError)
    /// The sign-in fails with an error that the closure accepts. The text describes the error.
    case refusedMatching(String, @Sendable (SignInError) -> Bool)
    /// The response is rejected, and the sign-in keeps waiting.
    case ignored
    /// The sign-in succeeds, because the fault is harmless or concerns only a later request. The text describes the
    /// result, and the closure checks the session.
    case accepted(String, @Sendable (OAuthSession) async throws -> Bool)
  }

  /// What the server sends, as in the first column of the tables in Faults.md.
  let summary: String
  /// The rule that the server violates or, for a harmless fault, the rule that says how clients treat it. This is the
  /// second column of the tables in Faults.md.
  let rule: String
  let outcome: Outcome
  let behavior: Behavior
  /// Whether the response is never completed. The test then shortens the client's timeouts.
  let isSlow: Bool

  init(
    _ summary: String, _ rule: String, _ outcome: Outcome, isSlow: Bool = false, _ change: (inout Behavior) -> Void
  ) {
    self.summary = summary
    self.rule = rule
    self.outcome = outcome
    self.isSlow = isSlow
    var behavior = Behavior()
    change(&behavior)
    self.behavior = behavior
  }

  var testDescription: String { self.summary }
}
