public import SallyportProtocol
public import SallyportRemote

/// Why nobody was signed in: who stopped it, what the server said, or which rule an answer broke.
///
/// No case carries a token, a code, a state or a body.
public enum SignInError: Error, Equatable, Sendable {
  /// The program stopped the sign-in.
  case cancelled
  /// The person closed the page, where the platform tells.
  case dismissed
  /// The person said no on the server's page (`access_denied`).
  case denied(ServerRefusal)
  /// Nobody answered in the time that was given. It may be that the person closed the page: a browser of the system does not tell.
  case timedOut
  /// The server refused the request or the code.
  case refused(ServerRefusal)
  /// The server is in trouble or asks for patience.
  case unavailable(status: Int)
  case network(TransportError)
  /// The server's metadata could not be read or break a rule.
  case discovery(DiscoveryError)
  /// None of the ways back to the app can be used here.
  case noUsableRedirect([RedirectFallback])
  /// No browser was opened.
  case userAgent(UserAgentError)
  /// The redirect cannot be received.
  case receiver(RedirectReceiverError)
  /// The redirect URI belongs to another issuer already, RFC 8252 §8.10.
  case redirectURIBelongsTo(issuer: String)
  /// The authorization endpoint with the request in it is no URL that may be opened.
  case authorizationURL(EndpointURLError)
  /// What the app asks for contradicts itself.
  case optionsInvalid(SignInOptionsError)
  /// The answer to a pushed request broke a rule, RFC 9126.
  case pushedRequest(PushedRequestError)
  /// The app demands tokens that are bound to a key, and the server offers none (RFC 9449 §5.1).
  case dpopNotOffered
  /// The DPoP key cannot be used.
  case dpopKey(DPoPKeyError)
  /// The authorization response broke a rule.
  case response(AuthorizationResponseError)
  /// The server does not sign in on another device, or its answer about it broke a rule.
  case deviceAuthorization(DeviceAuthorizationError)
  /// The token endpoint's answer broke a rule.
  case tokenResponse(TokenResponseError)
  /// The ID token broke a rule.
  case idToken(IDTokenError)
  case store(TokenStoreError)
  /// A receiver or a store of the app's own failed in a way of its own.
  case other(reason: String)
}

extension SignInError {
  init(_ error: AuthorizationResponseError) {
    switch error {
    case .refused(let refusal) where refusal.code == .accessDenied: self = .denied(refusal)
    case .refused(let refusal): self = .refused(refusal)
    default: self = .response(error)
    }
  }

  init(_ error: TokenRequestError) {
    switch error {
    case .network(.cancelled): self = .cancelled
    case .network(let error): self = .network(error)
    case .refused(let refusal): self = .refused(refusal)
    case .unavailable(let status): self = .unavailable(status: status)
    case .invalid(let error): self = .tokenResponse(error)
    case .key(let error): self = .dpopKey(error)
    }
  }

  /// Any error of the sign-in's parts.
  init(any error: any Error) {
    switch error {
    case let error as SignInError: self = error
    case is CancellationError: self = .cancelled
    case let error as AuthorizationResponseError: self.init(error)
    case let error as TokenRequestError: self.init(error)
    case DiscoveryError.document(.transport(.cancelled)): self = .cancelled
    case let error as DiscoveryError: self = .discovery(error)
    case let error as PushedRequestError: self = .pushedRequest(error)
    case let error as DPoPKeyError: self = .dpopKey(error)
    case let error as DeviceAuthorizationError: self = .deviceAuthorization(error)
    case let error as IDTokenError: self = .idToken(error)
    case let error as UserAgentError: self = .userAgent(error)
    case RedirectReceiverError.dismissed: self = .dismissed
    case let error as RedirectReceiverError: self = .receiver(error)
    case let error as TokenStoreError: self = .store(error)
    case let error as EndpointURLError: self = .authorizationURL(error)
    default: self = .other(reason: "\(type(of: error))")
    }
  }
}
