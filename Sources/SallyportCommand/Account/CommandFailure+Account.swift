import Sallyport
import SallyportProtocol

extension CommandFailure {
  static func notSignedIn(_ account: Account) -> CommandFailure {
    CommandFailure(.signInNeeded, "You are not signed in at \(account.issuer).", self.signIn(account))
  }

  /// The advice to sign in to `account` again or, if it is `nil`, to any account.
  static func signIn(_ account: Account?) -> String { "Run `\(self.login(account))`." }

  /// The advice to sign in to `account` or, if it is `nil`, to any account, in a way that meets the requirements of an
  /// API (RFC 9470 §4).
  ///
  /// The command in the advice requests the required scope in addition to the scope that was requested for the account.
  static func signIn(_ account: Account?, for stepUp: StepUp) -> String {
    var command = self.login(account)
    if !stepUp.scope.isEmpty {
      command = command.adding("--scope", Scope([account?.scope ?? Arguments.defaultScope, stepUp.scope]).description)
    }
    if !stepUp.acrValues.isEmpty {
      command = command.adding("--acr-values", stepUp.acrValues.joined(separator: " "))
    }
    // A new authentication satisfies any `max_age`.
    if stepUp.maxAge != nil { command = command.adding("--prompt", "login") }
    return "Run `\(command)`."
  }

  /// The command that signs in to `account` again or, if it is `nil`, to any account.
  static func login(_ account: Account?) -> ShellWords { account?.loginCommand ?? .login }
}
