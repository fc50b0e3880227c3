import Sallyport
import SallyportProtocol
import SallyportRemote

extension CommandFailure {
  static let notSignedIn = CommandFailure(.signInNeeded, "You are not signed in.", Self.signIn(nil))
  static let tryAgainLater = "Try again later."

  /// Describes what happened to a session and what to do. The texts contain no tokens.
  /// - Parameters:
  ///   - error: The error.
  ///   - account: The account of the session, or `nil` if it is unknown.
  init(_ error: SessionError, _ account: Account? = nil) {
    switch error {
    case .signInRequired(let requirement): self.init(requirement, account)
    case .stepUpRequired(let stepUp): self.init(stepUp, account)
    case .boundToKey: self = .boundToken(account)
    case .dpopKey(let error): self.init(error, account)
    case .clientSecret(let error): self.init(.failed, "The client secret is missing", error.explanation)
    case .refused(let errorResponse): self.init(errorResponse, account)
    case .unavailable(let status): self.init(unavailable: status)
    case .network(let error): self.init(unreachable: "The server", error)
    case .discovery(let error): self.init(error)
    case .tokenResponse(let error): self.init(.failed, "The token response is invalid", error.explanation)
    case .idToken(let error): self.init(error)
    // The SDK has already refreshed the token and repeated the request if that was likely to help.
    case .userInfo(.unexpectedStatus(401)):
      self.init(.signInNeeded, "The server no longer accepts the access token (status 401).", Self.signIn(account))
    case .userInfo(let error): self.init(.failed, "The UserInfo response is invalid", error.explanation)
    case .originNotAllowed:
      self.init(
        .failed, "The account's tokens are not for this API.",
        "Run `\(Self.login(account).adding("--token-origin"))` with the API's URL. If the server supports resource indicators, run "
          + "`sallyport login --resource` with the API's URL instead.")
    case .requestMalformed: self.init(.failed, "A token cannot be sent with this request.", "Use an https URL.")
    case .store(let error): self.init(error)
    case .readOnly: self.init(.failed, "The session only reads stored tokens.", error.explanation)
    case .cancelled: self.init(.denied, "Canceled.")
    case .other(let reason): self.init(.failed, "The session failed: \(reason).")
    }
  }

  init(_ requirement: SignInRequirement, _ account: Account?) {
    let signIn = Self.signIn(account)
    switch requirement {
    case .signedOut: self = account.map { .notSignedIn($0) } ?? .notSignedIn
    case .noRefreshToken:
      self.init(.signInNeeded, "The access token cannot be renewed, because the server issued no refresh token.", signIn)
    case .refused(let errorResponse):
      self.init(
        .signInNeeded, "The server ended the session (\(errorResponse.code)).", signIn, serverError: errorResponse.code)
    case .refusedAfterLostResponse(let errorResponse):
      self.init(
        .signInNeeded,
        "The server ended the session (\(errorResponse.code)), because its response to an earlier refresh was lost.", signIn,
        serverError: errorResponse.code)
    case .interactionRequired(let errorResponse):
      self.init(
        .signInNeeded, "The server requires you to interact with it (\(errorResponse.code)).", signIn,
        serverError: errorResponse.code)
    case .keyLost: self.init(.signInNeeded, "The key that the tokens are bound to is missing.", signIn)
    }
  }

  /// The failure for an API that requires a scope that was not granted, or stronger or more recent authentication.
  private init(_ stepUp: StepUp, _ account: Account?) {
    let reason =
      stepUp.scope.isEmpty
      ? "The API requires stronger or more recent authentication."
      : "The API requires the scope \"\(stepUp.scope)\", which was not granted."
    // Without an account, the scope that was requested before is unknown.
    let advice =
      account == nil && !stepUp.scope.isEmpty
      ? "Run `sallyport login --scope` with this scope and your current one." : Self.signIn(account, for: stepUp)
    self.init(.signInNeeded, reason, advice)
  }
}
