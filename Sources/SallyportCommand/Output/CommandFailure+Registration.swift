import Sallyport
import SallyportProtocol
import SallyportRemote

extension CommandFailure {
  /// Whatever ends a `login`.
  init(login error: any Error) {
    switch error {
    case let error as CommandFailure: self = error
    case let error as SignInError: self.init(error)
    case let error as RegistrationError: self.init(error)
    case let error as ResourceDiscoveryError: self.init(error)
    case let error as DiscoveryError: self = .discovery(error)
    case let error as TokenStoreError: self.init(.failed, error.words)
    case is CancellationError: self.init(.denied, "Sign-in cancelled.")
    case let error as SessionError: self.init(error)
    case is ResourceIndicatorError:
      self.init(.failed, "The API's URL is none that a token can be for (RFC 8707 §2): give --resource one of up to 2048 bytes.")
    case let error as ResourceSignInError: self.init(.failed, "The sign-in failed: \(error.explanation)")
    case let error as EndpointURLError: self.init(.failed, "The sign-in failed: \(error.explanation)")
    case let error as RedirectURIError: self.init(.failed, "The sign-in failed: \(error.explanation)")
    default:
      self.init(.failed, "The sign-in failed for a reason of this program's own; nothing was stored. Run the command again.")
    }
  }

  /// One sentence, one next step.
  init(_ error: RegistrationError) {
    switch error {
    case .discovery(let error): self = .discovery(error)
    case .notOffered:
      self.init(
        .failed, "The server registers nobody by itself. Ask those who run it for a client, and name it with --client-id.")
    case .network(let error): self.init(.tryAgain, "The server cannot be reached: \(error.words).")
    case .unavailable(let status): self.init(.tryAgain, "The server is in trouble (status \(status)). Try again later.")
    case .refused(let refusal) where refusal.code == .invalidToken: self = .initialAccessTokenNeeded
    case .response(.unexpectedStatus(401)): self = .initialAccessTokenNeeded
    case .notRegistered: self.init(.failed, "This installation is not registered there.")
    case .notManageable:
      self.init(.failed, "The server gave no way to remove the registration. Ask those who run it to remove the client.")
    case .cancelled: self.init(.denied, "Cancelled.")
    case .store(let error): self.init(.failed, error.words)
    case .metadata, .refused, .response, .forgotten, .other:
      self.init(.failed, "The registration failed: \(error.explanation.finding).")
    }
  }

  private static let initialAccessTokenNeeded = CommandFailure(
    .failed,
    "The server registers those who have an initial access token. Ask those who run it for one, and give it with "
      + "--initial-access-token-file or in SALLYPORT_INITIAL_ACCESS_TOKEN; or name a client of theirs with --client-id.")

  static func tokenForUnnamedServer(_ issuer: Issuer) -> CommandFailure {
    CommandFailure(
      .failed,
      "The API names \(issuer), and an initial access token goes only where you say. Give --issuer \(issuer) if you trust "
        + "it, or give no token.")
  }

  /// One sentence, one next step.
  init(_ error: ResourceDiscoveryError) {
    switch error {
    case .network(.cancelled), .document(.transport(.cancelled)): self.init(.denied, "Cancelled.")
    case .network(let error), .document(.transport(let error)):
      self.init(.tryAgain, "The API cannot be reached: \(error.words).")
    case .document(.status(let status)) where status >= 500 || status == 429:
      self.init(.tryAgain, "The API is in trouble (status \(status)). Try again later.")
    case .document(.status):
      self.init(
        .failed, "The API does not say who may sign somebody in (RFC 9728). Name the server with --issuer and --client-id.")
    case .resourceMismatch(let found):
      self.init(.failed, "The API is another one by its own account (RFC 9728 §3.3). Try --resource \(Printable.text(found)).")
    default: self.init(.failed, "The API's metadata broke a rule: \(error.explanation.finding).")
    }
  }
}
