import Sallyport
import SallyportProtocol
import SallyportRemote

extension CommandFailure {
  static let notSignedIn = CommandFailure(.signInNeeded, "You are not signed in.", Self.signIn)
  static let signIn = "Run `sallyport login`."
  static let again = "Try again later."

  /// Describes what happened and what to do. The texts contain no tokens.
  /// - Parameter hasSecret: Whether the client has a secret, or `nil` if this is unknown.
  init(_ error: SessionError, hasSecret: Bool? = nil) {
    switch error {
    case .signInRequired(let requirement): self.init(requirement)
    case .stepUpRequired(let stepUp): self.init(stepUp)
    case .boundToKey: self = .boundToken
    case .dpopKey(let error): self.init(error)
    case .clientSecret(let error): self.init(.failed, "The client secret is missing", error.explanation)
    case .refused(let errorResponse): self.init(errorResponse, hasSecret: hasSecret)
    case .unavailable(let status): self.init(unavailable: status)
    case .network(let error): self.init(unreachable: "The server", error)
    case .discovery(let error): self.init(error)
    case .tokenResponse(let error): self.init(.failed, "The token response is invalid", error.explanation)
    case .idToken(let error): self.init(error)
    case .userInfo(let error): self.init(.failed, "The UserInfo response is invalid", error.explanation)
    case .originNotAllowed:
      self.init(
        .failed, "The account's tokens are not for this API.",
        "Run `sallyport login --resource` with the API's URL or, if the server does not support resource indicators, "
          + "`sallyport login --token-origin` with it.")
    case .requestMalformed: self.init(.failed, "A token cannot be sent with this request.", "Use an https URL.")
    case .store(let error): self.init(error)
    case .readOnly: self.init(.failed, "The session only reads stored tokens.", error.explanation)
    case .cancelled: self.init(.denied, "Canceled.")
    case .other(let reason): self.init(.failed, "The session failed: \(reason).")
    }
  }

  private init(_ requirement: SignInRequirement) {
    switch requirement {
    case .signedOut: self = .notSignedIn
    case .noRefreshToken:
      self.init(.signInNeeded, "The access token cannot be renewed, because the server issued no refresh token.", Self.signIn)
    case .refused(let errorResponse):
      self.init(
        .signInNeeded, "The server ended the session (\(errorResponse.code)).", Self.signIn, serverError: errorResponse.code)
    case .refusedAfterLostResponse(let errorResponse):
      self.init(
        .signInNeeded,
        "The server ended the session (\(errorResponse.code)), because its response to an earlier refresh was lost.", Self.signIn,
        serverError: errorResponse.code)
    case .interactionRequired(let errorResponse):
      self.init(
        .signInNeeded, "The server requires you to interact with it (\(errorResponse.code)).", Self.signIn,
        serverError: errorResponse.code)
    case .keyLost: self.init(.signInNeeded, "The key that the tokens are bound to is missing.", Self.signIn)
    }
  }

  /// The failure for an API that requires more than was granted.
  private init(_ stepUp: StepUp) {
    guard !stepUp.scope.isEmpty else {
      self.init(.signInNeeded, "The API requires stronger or more recent authentication.", Self.signIn)
      return
    }
    self.init(
      .signInNeeded, "The API requires the scope \"\(stepUp.scope)\", which was not granted.",
      "Run `sallyport login --scope` with this scope and your current one.")
  }
}
