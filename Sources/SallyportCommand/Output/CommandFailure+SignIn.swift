import Sallyport
import SallyportProtocol
import SallyportRemote

extension CommandFailure {
  /// Describes what happened and what to do. The texts contain no token, code, or state.
  init(_ error: SignInError) {
    switch error {
    case .cancelled: self.init(.denied, "Sign-in canceled.")
    case .dismissed: self.init(.denied, "You closed the sign-in page.")
    case .denied: self.init(.denied, "Sign-in denied.")
    case .timedOut:
      self.init(.denied, "The sign-in was not finished in time. Run the command again, or increase --timeout.")
    case .refused(let errorResponse): self = .errorResponse(errorResponse)
    case .unavailable(let status):
      self.init(.tryAgain, "The server is temporarily unavailable (status \(status)). Try again later.")
    case .network(let error): self.init(.tryAgain, "The server cannot be reached: \(error.words).")
    case .discovery(let error): self = .discovery(error)
    case .noUsableRedirect(let skipped): self.init(skipped)
    case .userAgent(let error): self.init(.failed, error.words)
    case .receiver(.cannotBind(let reason)):
      self.init(.failed, "No port could be opened for the redirect: \(reason). Try another --redirect-uri.")
    case .receiver(.dismissed): self.init(.denied, "You closed the sign-in page.")
    case .receiver(.failed(let reason)): self.init(.failed, "The redirect could not be received: \(reason).")
    case .redirectURIBelongsTo(let issuer):
      self.init(
        .failed,
        "This redirect URI is already in use with \(issuer), and two servers must not share one. Sign out there, or specify "
          + "a URI with another path with --redirect-uri.")
    case .authorizationURL: self.init(.failed, "The URL of the server's authorization endpoint is not safe to open.")
    case .promptConflict, .maxAgeNegative, .redirectPortMissing:
      self.init(.failed, "The sign-in options are invalid: \(error.explanation.finding).")
    case .pushedRequest(let error):
      self.init(.failed, "The response to the pushed authorization request is invalid: \(error.explanation.finding).")
    case .dpopNotOffered:
      self.init(.failed, "The server does not support tokens that are bound to a key (DPoP). Sign in with --no-dpop.")
    case .dpopKey(let error):
      self.init(.failed, "The key that the tokens are bound to cannot be used: \(error.explanation.finding).")
    case .response(let error):
      self.init(.failed, "The authorization response is invalid and was not used: \(error.explanation.finding).")
    case .deviceAuthorization(.notOffered):
      self.init(.failed, "The server does not support sign-in on another device. Use --browser or --paste.")
    case .deviceAuthorization(let error):
      self.init(.failed, "The device authorization response is invalid: \(error.explanation.finding).")
    case .tokenResponse(let error): self.init(.failed, "The token response is invalid: \(error.explanation.finding).")
    case .idToken(.key(.document(let error))):
      self.init(.tryAgain, "The server's keys could not be read: \(error.explanation.finding).")
    case .idToken(let error): self.init(.failed, "The ID token is invalid: \(error.explanation.finding).")
    case .store(let error): self.init(.failed, error.words)
    case .other(let reason): self.init(.failed, "The sign-in failed: \(reason).")
    }
  }

  /// The failure of the last option that was tried.
  private init(_ skipped: [RedirectFallback]) {
    switch skipped.last?.reason {
    case .userAgent(let error): self.init(SignInError.userAgent(error))
    case .receiver(let error): self.init(SignInError.receiver(error))
    case .obstacle(let reason): self.init(.failed, "No sign-in method works here: \(reason).")
    case nil: self.init(.failed, "No sign-in method works here.")
    }
  }

  static func errorResponse(_ errorResponse: OAuthErrorResponse) -> CommandFailure {
    let text =
      "The server returned an error: \(errorResponse.code)" + (errorResponse.description.map { " (\($0))" } ?? "") + "."
    switch errorResponse.code {
    case .serverError, .temporarilyUnavailable: return CommandFailure(.tryAgain, text)
    default: return CommandFailure(.failed, text)
    }
  }

  static func discovery(_ error: DiscoveryError) -> CommandFailure {
    switch error {
    case .document(let error): self.metadata(error)
    default: CommandFailure(.failed, "The server's metadata is invalid: \(error.explanation.finding).")
    }
  }

  /// The failure if the server's metadata cannot be read. Temporary problems can be retried; otherwise the issuer is
  /// probably wrong.
  private static func metadata(_ error: JSONDocumentError) -> CommandFailure {
    switch error {
    case .transport(let error):
      CommandFailure(.tryAgain, "The server cannot be reached: \(error.words).")
    case .status(let status) where status >= 500 || status == 429:
      CommandFailure(.tryAgain, "The server is temporarily unavailable (status \(status)). Try again later.")
    default:
      CommandFailure(
        .failed, "No authorization server metadata was found at this issuer: \(error.explanation.finding). Check its URL.")
    }
  }
}

extension TransportError {
  var words: String {
    switch self {
    case .unreachable(let reason): reason
    case .untrusted(let reason): "its certificate is not trusted (\(reason))"
    case .timedOut: "it did not respond in time"
    case .bodyTooLarge: "its response was too large"
    case .cancelled: "the request was canceled"
    }
  }
}

extension UserAgentError {
  var words: String {
    switch self {
    case .noBrowser(let tried):
      "No browser was found (tried \(tried.joined(separator: ", "))). Specify one with --browser."
    case .failed(let program, let reason):
      "\(program) did not open the page: \(reason). Specify another browser with --browser."
    }
  }
}

extension TokenStoreError {
  var words: String {
    switch self {
    case .unavailable(let reason): "The token store is unavailable: \(reason)."
    case .damaged(let reason):
      "The token store contains damaged data: \(reason). Run `sallyport logout` to remove it."
    case .unsafePermissions(let path):
      "Other users can read or change \"\(path)\". Restrict its permissions: 0700 for folders, 0600 for files."
    case .failed(let reason): "The token store failed: \(reason)."
    }
  }
}
