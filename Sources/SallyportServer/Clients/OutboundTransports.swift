import SallyportProtocol
import SallyportRemote

/// The transports for URLs that clients registered, for client metadata documents, and for upstreams.
struct OutboundTransports: Sendable {
  /// The transport for upstreams, for the key sets and back-channel logout endpoints of operators' clients, and for
  /// metadata documents on ``RegistrationPolicy/documentHosts``. These URLs may be in the operator's own network.
  let operators: (any Transport)?
  /// The transport for the URLs of clients that no operator added, and for the request objects of every client. It must
  /// reach only the public internet.
  let dynamicClients: (any Transport)?

  /// - Returns: Nil if the server must not open the URL, or has no transport for it.
  func transport(of client: ClientRecord, to url: EndpointURL) -> (any Transport)? {
    guard client.origin != .operator else { return self.operators }
    return AddressPolicy.isPublic(url) ? self.dynamicClients : nil
  }
}
