import Sallyport
import SallyportProtocol
import SallyportRemote

extension CommandFailure {
  /// Converts any error that ends `login`.
  init(login error: any Error) {
    switch error {
    case let error as CommandFailure: self = error
    case let error as SignInError: self.init(error)
    case let error as RegistrationError: self.init(error)
    case let error as ResourceDiscoveryError: self.init(error)
    case let error as DiscoveryError: self.init(error)
    case let error as TokenStoreError: self.init(error)
    case is CancellationError: self.init(.denied, "Sign-in canceled.")
    case let error as SessionError: self.init(error)
    case is ResourceIndicatorError:
      self.init(
        .failed, "The API's URL is longer than 2,048 bytes, so it cannot identify a resource (RFC 8707 §2).",
        "Use a shorter --resource.")
    case let error as ResourceSignInError: self.init(.failed, "The sign-in failed", error.explanation)
    case let error as EndpointURLError: self.init(.failed, "The sign-in failed", error.explanation)
    case let error as RedirectURIError: self.init(.failed, "The sign-in failed", error.explanation)
    default:
      self.init(
        .failed, "The sign-in failed because of an internal error. No tokens were stored.", "Run the command again.")
    }
  }

  /// Describes what happened and what to do.
  init(_ error: RegistrationError) {
    switch error {
    case .discovery(let error): self.init(error)
    case .notOffered: self.init(.failed, error.explanation, advice: Self.registeredClient)
    case .network(let error): self.init(unreachable: "The server", error)
    case .unavailable(let status): self.init(unavailable: status)
    case .refused(let errorResponse) where errorResponse.code == .invalidToken: self = .initialAccessTokenNeeded
    case .response(.unexpectedStatus(401)): self = .initialAccessTokenNeeded
    case .notRegistered: self.init(.failed, error.explanation, advice: nil)
    case .notManageable: self.init(.failed, error.explanation, advice: "Ask the server's operator to remove the client.")
    case .cancelled: self.init(.denied, "Canceled.")
    case .store(let error): self.init(error)
    case .refused(let errorResponse):
      self.init(.failed, error.explanation, advice: Self.registeredClient, serverError: errorResponse.code)
    case .forgotten: self.init(.failed, error.explanation, advice: "Run `sallyport login` to register again.")
    case .metadata, .response, .other: self.init(.failed, "The registration failed", error.explanation)
    }
  }

  private static let registeredClient = "Ask the server's operator for a client, and specify it with --client-id."

  private static let initialAccessTokenNeeded = CommandFailure(
    .failed, "The server requires an initial access token for registration.",
    "Ask its operator for one, and pass it with --initial-access-token-file or in SALLYPORT_INITIAL_ACCESS_TOKEN. Or "
      + "specify an existing client with --client-id.")

  static func deviceGrantDenied(_ issuer: Issuer) -> CommandFailure {
    CommandFailure(
      .failed, "\(issuer) does not allow signing in on another device for clients that registered themselves.",
      "Use --paste, or ask the operator for a client with the device grant and name it with --client-id.")
  }

  static func tokenForUnnamedServer(_ issuer: Issuer) -> CommandFailure {
    CommandFailure(
      .failed,
      "The API names the server \(issuer), and an initial access token is sent only to a server that you specify.",
      "If you trust the server, add `\(ShellWords().adding("--issuer", issuer.value))`. Otherwise, don't pass a token.")
  }

  /// Describes what happened and what to do.
  init(_ error: ResourceDiscoveryError) {
    switch error {
    case .network(.cancelled), .document(.transport(.cancelled)): self.init(.denied, "Canceled.")
    case .network(let error), .document(.transport(let error)): self.init(unreachable: "The API", error)
    case .document(.status(let status)) where status >= 500 || status == 429:
      self.init(.tryAgain, "The API is temporarily unavailable (status \(status)).", Self.tryAgainLater)
    case .document(.status):
      self.init(
        .failed, "The API does not publish its authorization servers (RFC 9728).",
        "Specify the server with --issuer, and your client identifier with --client-id.")
    case .resourceMismatch(let found):
      self.init(
        .failed, "The API's metadata is for another resource (RFC 9728 §3.3).",
        "Try `\(ShellWords().adding("--resource", found))`.")
    default: self.init(.failed, "The API's metadata is invalid", error.explanation)
    }
  }
}
