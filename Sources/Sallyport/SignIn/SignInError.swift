public import SallyportProtocol
public import SallyportRemote

/// Why a sign-in failed.
///
/// No case contains a token, a code, or a state. No case contains a whole response, but some contain single values of a
/// response, such as the server's description of the error.
public enum SignInError: Error, Equatable, Sendable {
  /// The app canceled the sign-in.
  case cancelled
  /// The user closed the page, on platforms that report it.
  case dismissed
  /// The user, or the server on the user's behalf, denied the request (`access_denied`).
  case denied(OAuthErrorResponse)
  /// No response arrived in time. The user may have closed the page, which a system browser doesn't report.
  case timedOut
  /// The server returned an error for the request or the code.
  case refused(OAuthErrorResponse)
  /// The server is temporarily unavailable or limits requests (status 429 or 5xx).
  case unavailable(status: Int)
  /// No complete response was received.
  case network(TransportError)
  /// The server's metadata could not be read or is invalid.
  case discovery(DiscoveryError)
  /// None of the redirect options can be used.
  case noUsableRedirect([RedirectOption.Fallback])
  /// No browser could be opened.
  case userAgent(UserAgentError)
  /// The redirect cannot be received.
  case receiver(RedirectReceiverError)
  /// The redirect URI is already in use with another issuer (RFC 8252 §8.10).
  case redirectURIBelongsTo(issuer: String)
  /// The authorization request's URL is not safe to open.
  case authorizationURL(EndpointURLError)
  /// The option ``SignInOptions/prompt`` combines `none` with other values (OpenID Connect Core §3.1.2.1).
  case promptConflict
  /// The option ``SignInOptions/maxAge`` is negative.
  case maxAgeNegative
  /// The server's configuration asks for ``ServerConfiguration/ResponseMode/formPost``, but the redirect URI is not an
  /// `https` URL. Only a web server of the app, at an `https` URL, can receive the form.
  case formPostRequiresHTTPS
  /// The loopback redirect URI has no port. A URI without a port means port 80, on which the app doesn't listen (RFC
  /// 8252 §7.3).
  case redirectPortMissing
  /// Pushed requests are required but the server has no endpoint for them, or the response to a pushed request is
  /// invalid (RFC 9126).
  case pushedRequest(PushedRequestError)
  /// The app requires DPoP, but the server doesn't support it (RFC 9449 §5.1).
  case dpopNotOffered
  /// The DPoP key cannot be used.
  case dpopKey(DPoPKeyError)
  /// The app could not get or sign the client secret, so the request that needs it was not sent.
  case clientSecret(ClientSecretError)
  /// The authorization response is invalid.
  case response(AuthorizationResponseError)
  /// The server doesn't support device authorization, or its response is invalid.
  case deviceAuthorization(DeviceAuthorizationError)
  /// The token response is invalid.
  case tokenResponse(TokenResponseError)
  /// The ID token is invalid.
  case idToken(IDTokenError)
  /// The token store failed.
  case store(TokenStoreError)
  /// The app's own receiver or token store threw an unexpected error.
  /// - Parameter reason: The name of the error's type.
  case other(reason: String)
}

extension SignInError {
  init(_ error: AuthorizationResponseError) {
    switch error {
    case .refused(let errorResponse) where errorResponse.code.kind == .denied: self = .denied(errorResponse)
    case .refused(let errorResponse): self = .refused(errorResponse)
    default: self = .response(error)
    }
  }

  init(_ error: TokenRequestError) {
    switch error {
    case .network(.cancelled): self = .cancelled
    case .network(let error): self = .network(error)
    case .refused(let errorResponse) where errorResponse.code.kind == .denied: self = .denied(errorResponse)
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
    case .document(.status(let status)) where status == 429 || status >= 500: self = .unavailable(status: status)
    default: self = .discovery(error)
    }
  }

  /// Converts any error that a part of the sign-in can throw.
  init(any error: any Error) {
    switch error {
    case let error as SignInError: self = error
    case is CancellationError: self = .cancelled
    case let error as AuthorizationResponseError: self.init(error)
    case let error as TokenRequestError: self.init(error)
    case let error as DiscoveryError: self.init(error)
    case let error as PushedRequestError: self = .pushedRequest(error)
    case is DPoPNotOffered: self = .dpopNotOffered
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
