public import SallyportProtocol
public import SallyportRemote

/// Why an operation of a session failed. No case contains a token or a whole response. A case can contain single values
/// of a response, such as the server's description of the error.
public enum SessionError: Error, Equatable, Sendable {
  /// The user must sign in again; retrying doesn't help.
  case signInRequired(SignInRequirement)
  /// The server returned an error response. The session is still valid.
  case refused(OAuthErrorResponse)
  /// The server is temporarily unavailable or limits requests (status 429 or 5xx). The session is still valid.
  case unavailable(status: Int)
  /// No complete response was received. The session is still valid.
  case network(TransportError)
  /// The server's metadata could not be read or is invalid.
  case discovery(DiscoveryError)
  /// The token response is invalid.
  case tokenResponse(TokenResponseError)
  /// A refreshed ID token is invalid (OpenID Connect Core §12.2).
  case idToken(IDTokenError)
  /// The user's claims could not be requested, or the response is invalid.
  case userInfo(UserInfoError)
  /// The API requires more than the token provides (RFC 6750 §3.1, RFC 9470 §3). The user must sign in again to grant
  /// what is missing.
  case stepUpRequired(StepUp)
  /// The app asked for the bare access token, which is bound to a key (RFC 9449). Use
  /// ``OAuthSession/send(_:for:body:limits:)`` or ``OAuthSession/authorization(for:_:target:)``, which create the proof
  /// that each request needs.
  case boundToKey
  /// The DPoP key cannot be used.
  case dpopKey(DPoPKeyError)
  /// The app could not get or sign the client secret, so the request that needs it was not sent. The session is still
  /// valid.
  case clientSecret(ClientSecretError)
  /// The request cannot carry a token, because its URL is not an `https` URL (or a loopback `http` URL) with a path
  /// that starts with a slash, or because it sets a `Host` header field.
  case requestMalformed
  /// The request's origin may not receive the token (RFC 9700 §4.9.1). The token may be sent only to the origins
  /// of the sign-in's ``SignInOptions/resources`` or, if none of these is a URL, to the client's `tokenOrigins`. The
  /// resources or origins of a ``TokenTarget`` take precedence.
  case originNotAllowed
  /// The session was restored as read-only, but no valid token is stored, or the call would change the stored tokens.
  /// Another process, usually the app itself, must refresh the tokens; see ``OAuthClient/restoreSession(readOnly:)``.
  case readOnly
  /// The token store failed.
  case store(TokenStoreError)
  /// The app canceled the call.
  case cancelled
  /// An unexpected error, for example an error other than ``TokenStoreError`` from ``TokenStore/withLease(on:_:)`` of
  /// the app's own store.
  /// - Parameter reason: The name of the error's type.
  case other(reason: String)
}

extension SessionError {
  init(_ error: TokenRequestError) {
    switch error {
    case .network(.cancelled): self = .cancelled
    case .network(let error): self = .network(error)
    case .refused(let errorResponse): self = .refused(errorResponse)
    case .unavailable(let status): self = .unavailable(status: status)
    case .invalid(let error): self = .tokenResponse(error)
    case .key(let error): self = .dpopKey(error)
    case .clientSecret(let error): self = .clientSecret(error)
    }
  }

  init(_ error: DiscoveryError) {
    switch error {
    case .document(.transport(.cancelled)): self = .cancelled
    case .document(.transport(let error)): self = .network(error)
    case .document(.status(let status)) where status == 429 || status >= 500: self = .unavailable(status: status)
    default: self = .discovery(error)
    }
  }

  /// Converts any error that a part of the session can throw.
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
