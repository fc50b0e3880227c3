import Sallyport
import SallyportProtocol
import SallyportRemote

extension CommandFailure {
  static let notSignedIn = CommandFailure(.signInNeeded, "You are not signed in. Run `sallyport login`.")

  /// Describes what happened and what to do. The texts contain no tokens.
  init(_ error: SessionError) {
    switch error {
    case .signInRequired(.signedOut): self = .notSignedIn
    case .signInRequired(.noRefreshToken):
      self.init(.signInNeeded, "The session has expired and cannot be renewed. Run `sallyport login`.")
    case .signInRequired(.refused(let errorResponse)):
      self.init(.signInNeeded, "The server ended the session (\(errorResponse.code)). Run `sallyport login`.")
    case .signInRequired(.refusedAfterLostResponse(let errorResponse)):
      self.init(
        .signInNeeded,
        "The server ended the session (\(errorResponse.code)), because its response to an earlier refresh was lost. "
          + "Run `sallyport login`.")
    case .signInRequired(.keyLost):
      self.init(.signInNeeded, "The key that the tokens are bound to is missing. Run `sallyport login`.")
    case .stepUpRequired(let stepUp): self = .stepUp(stepUp)
    case .dpopKey(let error):
      self.init(.failed, "The key that the tokens are bound to cannot be used: \(error.explanation.finding).")
    case .refused(let errorResponse): self = .errorResponse(errorResponse)
    case .unavailable(let status):
      self.init(.tryAgain, "The server is temporarily unavailable (status \(status)). Try again later.")
    case .network(let error): self.init(.tryAgain, "The server cannot be reached: \(error.words).")
    case .discovery(let error): self = .discovery(error)
    case .tokenResponse(let error): self.init(.failed, "The token response is invalid: \(error.explanation.finding).")
    case .idToken(let error): self.init(.failed, "The ID token is invalid: \(error.explanation.finding).")
    case .userInfo(let error): self.init(.failed, "The UserInfo response is invalid: \(error.explanation.finding).")
    case .originNotAllowed:
      self.init(.failed, "The account's tokens are not for this API. Run `sallyport login --resource` with its URL.")
    case .requestMalformed: self.init(.failed, "A token cannot be sent with this request. Use an https URL.")
    case .store(let error): self.init(.failed, error.words)
    case .cancelled: self.init(.denied, "Canceled.")
    case .other(let reason): self.init(.failed, "The session failed: \(reason).")
    }
  }

  /// The failure for an API that requires more than was granted.
  private static func stepUp(_ stepUp: StepUp) -> CommandFailure {
    guard !stepUp.scope.isEmpty else {
      return CommandFailure(
        .signInNeeded, "The API requires stronger or more recent authentication. Run `sallyport login`.")
    }
    return CommandFailure(
      .signInNeeded,
      "The API requires the scope \"\(stepUp.scope)\", which was not granted. Run `sallyport login --scope` with this "
        + "scope and your current one."
    )
  }
}
