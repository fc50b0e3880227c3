import Sallyport
import SallyportProtocol
import SallyportRemote

extension CommandFailure {
  /// Describes what happened and what to do. The texts contain no token, code, or state.
  /// - Parameters:
  ///   - error: The error.
  ///   - account: The account that the user signs in to, or `nil` if it is unknown.
  init(_ error: SignInError, _ account: Account? = nil) {
    switch error {
    case .cancelled: self.init(.denied, "Sign-in canceled.")
    case .dismissed, .receiver(.dismissed): self.init(.denied, "You closed the sign-in page.")
    case .denied(let errorResponse): self.init(.denied, "Sign-in denied.", serverError: errorResponse.code)
    case .timedOut:
      self.init(.denied, "The sign-in was not finished in time.", "Run the command again, or increase --timeout.")
    case .refused(let errorResponse): self.init(errorResponse, account)
    case .unavailable(let status): self.init(unavailable: status)
    case .network(let error): self.init(unreachable: "The server", error)
    case .discovery(let error): self.init(error)
    case .noUsableRedirect(let skipped): self.init(skipped)
    case .userAgent(let error): self.init(error)
    case .receiver(.cannotBind(let reason)):
      self.init(.failed, "No port could be opened for the redirect: \(reason).", "Try another --redirect-uri.")
    case .receiver(.failed(let reason)):
      self.init(.failed, "The redirect could not be received: \(reason).", "Run the command again.")
    case .redirectURIBelongsTo(let issuer):
      self.init(
        .failed, "This redirect URI is already in use with \(issuer). Each server needs a redirect URI of its own.",
        "Sign out there, or specify a URI with another path with --redirect-uri.")
    case .authorizationURL(let error):
      self.init(.failed, "The URL of the server's authorization endpoint is not safe to open", error.explanation)
    case .promptConflict, .maxAgeNegative, .redirectPortMissing, .formPostRequiresHTTPS:
      self.init(.failed, "The sign-in options are invalid", error.explanation)
    case .pushedRequest(.endpointMissing):
      self.init(.failed, "The sign-in cannot begin", PushedRequestError.endpointMissing.explanation)
    case .pushedRequest(let error):
      self.init(.failed, "The response to the pushed authorization request is invalid", error.explanation)
    case .dpopNotOffered:
      self.init(.failed, "The server does not support tokens that are bound to a key (DPoP).", "Sign in with --no-dpop.")
    case .dpopKey(let error): self.init(error)
    case .clientSecret(let error): self.init(.failed, "The client secret is missing", error.explanation)
    case .response(let error):
      self.init(.failed, "The authorization response is invalid and was not used", error.explanation)
    case .deviceAuthorization(.notOffered):
      self.init(.failed, "The server does not support sign-in on another device.", "Use --browser or --paste.")
    case .deviceAuthorization(let error):
      self.init(.failed, "The device authorization response is invalid", error.explanation)
    case .tokenResponse(let error): self.init(.failed, "The token response is invalid", error.explanation)
    case .idToken(let error): self.init(error)
    case .store(let error): self.init(error)
    case .other(let reason): self.init(.failed, "The sign-in failed: \(reason).")
    }
  }

  /// Describes why the last of these redirect options could not be used.
  init(_ skipped: [RedirectOption.Fallback]) {
    switch skipped.last?.reason {
    case .userAgent(let error): self.init(error)
    case .receiver(let error): self.init(SignInError.receiver(error))
    case .obstacle(let reason): self.init(.failed, "No sign-in method works here: \(reason).", Self.otherMethods)
    case nil: self.init(.failed, "No sign-in method works here.", Self.otherMethods)
    }
  }

  private static let otherMethods = "Use --browser, --device, or --paste."

  init(_ error: IDTokenError) {
    if case .key(.document) = error {
      self.init(.tryAgain, "The server's keys could not be read: \(error.explanation.finding).", Self.tryAgainLater)
    } else {
      self.init(.failed, "The ID token is invalid", error.explanation)
    }
  }

  init(_ error: DPoPKeyError, _ account: Account? = nil) {
    self.init(
      .failed, "The key that the tokens are bound to cannot be used: \(error.explanation.finding).",
      "Try again, or run `\(Self.login(account))`.")
  }

  /// The advice follows the explanation, which says that there is no browser, or that the browser could not be opened.
  init(_ error: UserAgentError) {
    let advice =
      switch error {
      case .noBrowser: "Specify one with --browser."
      case .failed: "Specify another browser with --browser."
      }
    self.init(.failed, error.explanation, advice: advice)
  }

  /// The advice follows the explanation, which names the token store.
  init(_ error: TokenStoreError) {
    let advice: String? =
      switch error {
      case .unavailable: "Unlock it, or set SALLYPORT_STORE=file to use encrypted files."
      case .damaged: "Run `sallyport logout` to remove it."
      case .unsafePermissions: error.explanation.advice
      case .failed: nil
      }
    self.init(.failed, error.explanation, advice: advice)
  }
}
