public import SallyportProtocol
public import SallyportRemote

/// Why a session did not do what it was asked to. No case carries a token or a body.
public enum SessionError: Error, Equatable, Sendable {
  /// The person has to sign in again; nothing else helps.
  case signInRequired(SignInRequirement)
  /// The server refused, and the session goes on.
  case refused(ServerRefusal)
  /// The server is in trouble or asks for patience; the session goes on.
  case unavailable(status: Int)
  /// No answer came; the session goes on. Being offline signs nobody out.
  case network(TransportError)
  /// The server's metadata could not be read or break a rule.
  case discovery(DiscoveryError)
  /// The token endpoint's answer broke a rule.
  case tokenResponse(TokenResponseError)
  /// A refreshed ID token broke a rule, OpenID Connect Core §12.2.
  case idToken(IDTokenError)
  case userInfo(UserInfoError)
  /// The API wants more than this session's token has (RFC 6750 §3.1, RFC 9470 §3): the person has to agree to it.
  case stepUpRequired(StepUp)
  /// The DPoP key cannot be used.
  case dpopKey(DPoPKeyError)
  /// A request that no token goes with.
  case request(RequestError)
  case store(TokenStoreError)
  /// The program stopped the call.
  case cancelled
  /// A store of the app's own failed in a way of its own.
  case other(reason: String)
}

/// Why a person has to sign in again.
public enum SignInRequirement: Equatable, Sendable {
  /// The app, or another process of it, has signed out, or has heard that the person has to sign in again.
  case signedOut
  /// The access token is used up and there is no refresh token.
  case noRefreshToken
  /// The server does not take the refresh token any more (`invalid_grant`).
  case refused(ServerRefusal)
  /// The same, after a refresh that got no answer: the app was killed in the middle of it, or the connection broke.
  ///
  /// A server that rotates refresh tokens and forgives no lost reply takes the next use of the old one for theft.
  case refusedAfterLostReply(ServerRefusal)
  /// The key that the tokens are bound to is gone (RFC 9449).
  case keyLost
}

/// Why a request is not sent with a token, RFC 9700 §4.
public enum RequestError: Error, Equatable, Sendable {
  /// No `https` URL (or `http` on loopback) with a path that starts with a slash.
  case malformed
  /// An origin that is neither among the sign-in's ``SignInOptions/resources`` nor, where it named none, the client's `tokenOrigins`.
  case originNotAllowed
}

/// Which rule an answer of the userinfo endpoint breaks, OpenID Connect Core §5.3.
public enum UserInfoError: Error, Equatable, Sendable {
  /// The server has no such endpoint.
  case notOffered
  /// The sign-in brought no ID token, so that there is nobody to compare with.
  case subjectUnknown
  /// Another person's claims, §5.3.2.
  case subjectMismatch
  case malformed
  /// Neither claims nor a reason.
  case unexpectedStatus(Int)
}

extension SessionError {
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

  init(_ error: DiscoveryError) {
    switch error {
    case .document(.transport(.cancelled)): self = .cancelled
    case .document(.transport(let error)): self = .network(error)
    case .document(.status(let status)) where status >= 500: self = .unavailable(status: status)
    default: self = .discovery(error)
    }
  }

  /// Any error of the session's parts.
  init(any error: any Error) {
    switch error {
    case let error as SessionError: self = error
    case is CancellationError: self = .cancelled
    case let error as TokenRequestError: self.init(error)
    case let error as DiscoveryError: self.init(error)
    case let error as DPoPKeyError: self = .dpopKey(error)
    case let error as IDTokenError: self = .idToken(error)
    case let error as TokenStoreError: self = .store(error)
    default: self = .other(reason: "\(type(of: error))")
    }
  }
}
