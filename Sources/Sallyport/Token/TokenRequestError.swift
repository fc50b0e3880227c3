package import SallyportProtocol
package import SallyportRemote

/// Why the token endpoint gave no token.
package enum TokenRequestError: Error, Equatable, Sendable {
  case network(TransportError)
  /// The server said no, RFC 6749 §5.2.
  case refused(ServerRefusal)
  /// The server is in trouble or asks for patience: nothing is known about the grant.
  case unavailable(status: Int)
  case invalid(TokenResponseError)
  /// The DPoP key signed nothing.
  case key(DPoPKeyError)
}

extension TokenRequestError {
  init(_ error: BackChannelError) {
    switch error {
    case .transport(let error): self = .network(error)
    case .key(let error): self = .key(error)
    }
  }
}
