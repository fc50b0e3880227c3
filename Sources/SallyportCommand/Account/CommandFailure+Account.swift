import Sallyport
import SallyportProtocol

extension CommandFailure {
  static func notSignedIn(_ account: Account) -> CommandFailure {
    let profile = account.profile.map { " --profile \($0)" } ?? ""
    return CommandFailure(.signInNeeded, "You are not signed in at \(account.issuer).", "Run `sallyport login\(profile)`.")
  }

  /// Describes what happened to the session of an account, and what to do.
  init(_ error: SessionError, _ account: Account) {
    self.init(error, hasSecret: account.hasSecret)
  }
}
