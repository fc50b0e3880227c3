import Sallyport
import SallyportProtocol
import SallyportRemote

extension CommandFailure {
  static let notSignedIn = CommandFailure(.signInNeeded, "Nobody is signed in. Run `sallyport login`.")

  static func notSignedIn(_ account: Account) -> CommandFailure {
    let profile = account.profile.map { " --profile \($0)" } ?? ""
    return CommandFailure(.signInNeeded, "Nobody is signed in at \(account.issuer). Run `sallyport login\(profile)`.")
  }

  /// One sentence, one next step. Nothing here holds a token.
  init(_ error: SessionError) {
    switch error {
    case .signInRequired(.signedOut): self = .notSignedIn
    case .signInRequired(.noRefreshToken):
      self.init(.signInNeeded, "The session has run out and cannot be renewed. Run `sallyport login`.")
    case .signInRequired(.refused(let refusal)):
      self.init(.signInNeeded, "The server ended the session (\(refusal.code)). Run `sallyport login`.")
    case .signInRequired(.refusedAfterLostReply(let refusal)):
      self.init(
        .signInNeeded,
        "The server ended the session (\(refusal.code)): an earlier renewal was cut off, and this server does not forgive that. "
          + "Run `sallyport login`.")
    case .signInRequired(.keyLost):
      self.init(.signInNeeded, "The key that the tokens are bound to is gone. Run `sallyport login`.")
    case .stepUpRequired(let stepUp): self = .stepUp(stepUp)
    case .dpopKey(let error):
      self.init(.failed, "The key that the tokens are bound to cannot be used: \(error.explanation.finding).")
    case .refused(let refusal): self = .refusal(refusal)
    case .unavailable(let status): self.init(.tryAgain, "The server is in trouble (status \(status)). Try again later.")
    case .network(let error): self.init(.tryAgain, "The server cannot be reached: \(error.words).")
    case .discovery(let error): self = .discovery(error)
    case .tokenResponse(let error): self.init(.failed, "The server's token answer broke a rule: \(error.explanation.finding).")
    case .idToken(let error): self.init(.failed, "The server's ID token broke a rule: \(error.explanation.finding).")
    case .userInfo(let error): self.init(.failed, "The server's answer about you broke a rule: \(error.explanation.finding).")
    case .request(.originNotAllowed):
      self.init(.failed, "The account's tokens are not for this API. Run `sallyport login --resource` with its URL.")
    case .request: self.init(.failed, "A token does not go with such a request.")
    case .store(let error): self.init(.failed, error.words)
    case .cancelled: self.init(.denied, "Cancelled.")
    case .other(let reason): self.init(.failed, "The session failed: \(reason).")
    }
  }

  /// What an API wants beyond what was granted.
  private static func stepUp(_ stepUp: StepUp) -> CommandFailure {
    guard !stepUp.scope.isEmpty else {
      return CommandFailure(.signInNeeded, "The API wants a person who has signed in better or later. Run `sallyport login`.")
    }
    return CommandFailure(
      .signInNeeded,
      "The API wants a scope that was not granted: \(stepUp.scope). Run `sallyport login --scope` with it and those that you have."
    )
  }
}
