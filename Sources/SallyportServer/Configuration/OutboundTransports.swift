import SallyportProtocol
import SallyportRemote

/// The ways from the server to addresses that others have named.
struct OutboundTransports: Sendable {
  /// To what an operator registered, which may be in the operator's own network.
  let operators: (any Transport)?
  /// To what anybody may have named: the open internet and nothing else.
  let strangers: (any Transport)?

  /// - Returns: nil where nothing may be opened.
  func transport(of client: ClientRecord, to url: EndpointURL) -> (any Transport)? {
    guard client.origin != .operator else { return self.operators }
    return AddressPolicy.isOpen(url) ? self.strangers : nil
  }
}
