import Sallyport
import SallyportProtocol
import SallyportRemote

extension CommandFailure {
  /// One sentence, one next step. Nothing here holds a token, a code or a state.
  init(_ error: SignInError) {
    switch error {
    case .cancelled: self.init(.denied, "Sign-in cancelled.")
    case .dismissed: self.init(.denied, "You closed the sign-in page.")
    case .denied: self.init(.denied, "Sign-in denied: you, or the server on your behalf, said no.")
    case .timedOut: self.init(.denied, "Nobody finished the sign-in in time. Run the command again, or give more --timeout.")
    case .refused(let refusal): self = .refusal(refusal)
    case .unavailable(let status): self.init(.tryAgain, "The server is in trouble (status \(status)). Try again later.")
    case .network(let error): self.init(.tryAgain, "The server cannot be reached: \(error.words).")
    case .discovery(let error): self = .discovery(error)
    case .noUsableRedirect(let skipped): self.init(skipped)
    case .userAgent(let error): self.init(.failed, error.words)
    case .receiver(.cannotBind(let reason)):
      self.init(.failed, "No port could be opened for the answer: \(reason). Another --redirect-uri may help.")
    case .receiver(.dismissed): self.init(.denied, "You closed the sign-in page.")
    case .receiver(.failed(let reason)): self.init(.failed, "The answer could not be received: \(reason).")
    case .redirectURIBelongsTo(let issuer):
      self.init(
        .failed,
        "This redirect URI belongs to \(issuer) already, and two servers must not share one. Sign out there, or use "
          + "another path with --redirect-uri.")
    case .authorizationURL: self.init(.failed, "The server's authorization endpoint is no URL that can be opened safely.")
    case .optionsInvalid(let error): self.init(.failed, "The request contradicts itself: \(error.explanation.finding).")
    case .pushedRequest(let error):
      self.init(.failed, "The server's answer to the pushed request broke a rule: \(error.explanation.finding).")
    case .dpopNotOffered: self.init(.failed, "The server does not bind tokens to a key (DPoP).")
    case .dpopKey(let error): self.init(.failed, "The key that tokens are bound to cannot be used: \(error.explanation.finding).")
    case .response(let error): self.init(.failed, "The answer broke a rule and was not used: \(error.explanation.finding).")
    case .deviceAuthorization(.notOffered):
      self.init(.failed, "The server does not sign in on another device. Use --browser, or --paste.")
    case .deviceAuthorization(let error):
      self.init(.failed, "The server's answer for another device broke a rule: \(error.explanation.finding).")
    case .tokenResponse(let error): self.init(.failed, "The server's token answer broke a rule: \(error.explanation.finding).")
    case .idToken(.key(.document(let error))):
      self.init(.tryAgain, "The server's keys could not be read: \(error.explanation.finding).")
    case .idToken(let error): self.init(.failed, "The server's ID token broke a rule: \(error.explanation.finding).")
    case .store(let error): self.init(.failed, error.words)
    case .other(let reason): self.init(.failed, "The sign-in failed: \(reason).")
    }
  }

  /// What went wrong on the last way that was tried.
  private init(_ skipped: [RedirectFallback]) {
    switch skipped.last?.reason {
    case .userAgent(let error): self.init(SignInError.userAgent(error))
    case .receiver(let error): self.init(SignInError.receiver(error))
    case .obstacle(let reason): self.init(.failed, "There is no way to sign in here: \(reason).")
    case nil: self.init(.failed, "There is no way to sign in here.")
    }
  }

  static func refusal(_ refusal: ServerRefusal) -> CommandFailure {
    let text = "The server refused: \(refusal.code)" + (refusal.description.map { " (\($0))" } ?? "") + "."
    switch refusal.code {
    case .serverError, .temporarilyUnavailable: return CommandFailure(.tryAgain, text)
    default: return CommandFailure(.failed, text)
    }
  }

  static func discovery(_ error: DiscoveryError) -> CommandFailure {
    switch error {
    case .document(let error): self.metadata(error)
    default: CommandFailure(.failed, "The server's metadata broke a rule: \(error.explanation.finding).")
    }
  }

  /// Trouble passes; a server that has no metadata is another one than was meant.
  private static func metadata(_ error: JSONDocumentError) -> CommandFailure {
    switch error {
    case .transport(let error):
      CommandFailure(.tryAgain, "The server cannot be reached: \(error.words).")
    case .status(let status) where status >= 500 || status == 429:
      CommandFailure(.tryAgain, "The server is in trouble (status \(status)). Try again later.")
    default:
      CommandFailure(
        .failed, "There is no authorization server's metadata at this issuer: \(error.explanation.finding). Is its URL right?")
    }
  }
}

extension TransportError {
  var words: String {
    switch self {
    case .unreachable(let reason): reason
    case .untrusted(let reason): "its certificate is not trusted (\(reason))"
    case .timedOut: "it did not answer in time"
    case .bodyTooLarge: "its answer was too large"
    case .cancelled: "cancelled"
    }
  }
}

extension UserAgentError {
  var words: String {
    switch self {
    case .noBrowser(let tried): "No browser was found (tried \(tried.joined(separator: ", "))). Name one with --browser."
    case .failed(let program, let reason): "\(program) did not open the page: \(reason). Name another with --browser."
    }
  }
}

extension TokenStoreError {
  var words: String {
    switch self {
    case .unavailable(let reason): "The token store is not available: \(reason)."
    case .damaged(let reason): "The token store holds \(reason). `sallyport logout` removes it."
    case .unsafePermissions(let path): "Others can read or change \(path). Mend its permissions."
    case .failed(let reason): "The token store failed: \(reason)."
    }
  }
}
