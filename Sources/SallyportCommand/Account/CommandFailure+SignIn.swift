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
        .failed, "This redirect URI is already in use with \(issuer), and two servers must not share one.",
        "Sign out there, or specify a URI with another path with --redirect-uri.")
    case .authorizationURL(let error):
      self.init(.failed, "The URL of the server's authorization endpoint is not safe to open", error.explanation)
    case .promptConflict, .maxAgeNegative, .redirectPortMissing, .formPostRequiresHTTPS:
      self.init(.failed, "The sign-in options are invalid", error.explanation)
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

  /// The failure of the redirect that was tried last.
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

  init(_ error: UserAgentError) {
    switch error {
    case .noBrowser(let tried):
      self.init(
        .failed, "No browser was found (tried \(tried.joined(separator: ", "))).", "Specify one with --browser.")
    case .failed(let program, let reason):
      self.init(.failed, "\(program) did not open the page: \(reason).", "Specify another browser with --browser.")
    }
  }

  init(_ error: TokenStoreError) {
    switch error {
    case .unavailable(let reason):
      self.init(
        .failed, "The token store is unavailable: \(reason).", "Unlock it, or set SALLYPORT_STORE=file to use encrypted files.")
    case .damaged(let reason):
      self.init(.failed, "The token store contains damaged data: \(reason).", "Run `sallyport logout` to remove it.")
    case .unsafePermissions(let path):
      self.init(
        .failed, "\"\(path)\" belongs to another user, is accessible to other users, or is not an ordinary folder or file.",
        "Use a folder or file of your own, with the permissions 0700 for folders and 0600 for files.")
    case .failed(let reason): self.init(.failed, "The token store failed: \(reason).")
    }
  }
}
