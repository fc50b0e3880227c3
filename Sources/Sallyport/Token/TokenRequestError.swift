package import SallyportRemote

/// Why the token endpoint gave no token.
package enum TokenRequestError: Error, Equatable, Sendable {
  case network(TransportError)
  /// The server said no, RFC 6749 §5.2.
  case refused(ServerRefusal)
  /// The server is in trouble or asks for patience: nothing is known about the grant.
  case unavailable(status: Int)
  case invalid(TokenResponseError)
}
