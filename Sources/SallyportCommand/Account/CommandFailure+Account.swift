import Sallyport
import SallyportProtocol

extension CommandFailure {
  static func notSignedIn(_ account: Account) -> CommandFailure {
    CommandFailure(.signInNeeded, "You are not signed in at \(account.issuer).", self.signIn(account))
  }

  /// The advice to sign in to `account` again or, if it is `nil`, to any account.
  static func signIn(_ account: Account?) -> String { "Run `\(self.login(account))`." }

  /// The advice to sign in to an account again with its requested scope and these scope values.
  static func signIn(_ account: Account, addingScope scope: Scope) -> String {
    let scope = Scope([account.scope ?? Arguments.defaultScope, scope])
    return "Run `\(account.loginCommand.adding("--scope", scope.description))`."
  }

  /// The command that signs in to `account` again or, if it is `nil`, to any account.
  static func login(_ account: Account?) -> ShellWords { account?.loginCommand ?? .login }
}
