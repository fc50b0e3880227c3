package import SallyportProtocol

/// Why a token request failed.
package enum TokenRequestError: Error, Equatable, Sendable {
  case network(TransportError)
  /// The server returned an error response (RFC 6749 §5.2).
  case refused(OAuthErrorResponse)
  /// The server is temporarily unavailable or limits requests (status 429 or 5xx). Nothing is known about the grant.
  case unavailable(status: Int)
  case invalid(TokenResponseError)
  /// The DPoP key could not sign, so the request was not sent.
  case key(DPoPKeyError)
  /// The client secret could not be created or obtained, so the request was not sent.
  case clientSecret(ClientSecretError)
}

extension TokenRequestError {
  package init(_ error: BackChannelError) {
    switch error {
    case .transport(let error): self = .network(error)
    case .key(let error): self = .key(error)
    case .clientSecret(let error): self = .clientSecret(error)
    }
  }
}
