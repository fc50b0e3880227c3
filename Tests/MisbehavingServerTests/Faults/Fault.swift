import Sallyport
import SallyportProtocol
import Testing

/// One thing that a server does wrong, and what the client makes of it.
struct Fault: Sendable, CustomTestStringConvertible {
  /// What comes of a sign-in with such a server.
  enum Outcome: Sendable {
    /// It fails with this error.
    case refused(SignInError)
    /// It fails with an error that depends on the server's port, or holds a text of the transport.
    case refusedWith(String, @Sendable (SignInError) -> Bool)
    /// The answer is turned away, and the wait goes on.
    case ignored
    /// It succeeds, since no rule is broken; what the session then is gets checked.
    case accepted(String, @Sendable (Session) async throws -> Bool)
  }

  /// What the server does.
  let does: String
  /// The rule, for the documentation.
  let rule: String
  let outcome: Outcome
  let behaviour: Behaviour
  /// Whether the client may not wait as long as it would.
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
