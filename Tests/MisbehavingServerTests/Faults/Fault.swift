import Sallyport
import SallyportProtocol
import Testing

/// One fault of a server, and the expected result.
struct Fault: Sendable, CustomTestStringConvertible {
  /// The expected result of a sign-in.
  enum Outcome: Sendable {
    /// The sign-in fails with this error.
    case refused(SignInError)
    /// The sign-in fails with an error that depends on the server's port or on a text of the transport.
    case refusedWith(String, @Sendable (SignInError) -> Bool)
    /// The response is rejected, and the sign-in keeps waiting.
    case ignored
    /// The sign-in succeeds, because no rule is violated. The closure checks the session.
    case accepted(String, @Sendable (OAuthSession) async throws -> Bool)
  }

  /// What the server does.
  let does: String
  /// The violated rule, for the documentation.
  let rule: String
  let outcome: Outcome
  let behaviour: Behaviour
  /// Whether to shorten the client's timeouts.
  let isSlow: Bool

  init(
    _ does: String, _ rule: String, _ outcome: Outcome, isSlow: Bool = false, _ change: (inout Behaviour) -> Void
  ) {
    self.does = does
    self.rule = rule
    self.outcome = outcome
    self.isSlow = isSlow
    var behaviour = Behaviour()
    change(&behaviour)
    self.behaviour = behaviour
  }

  var testDescription: String { self.does }
}
