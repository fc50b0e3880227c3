package import NIOCore

/// The network address of a client.
package struct RemoteAddress: Hashable, Sendable, CustomStringConvertible {
  /// The canonical text, such as `203.0.113.7` or `2001:db8::7`; `unknown` if the connection has no address.
  package let description: String
  /// The bytes by which connections and failures are counted: an IPv4 address, or the first 64 bits of an IPv6 address,
  /// because a subscriber usually has at least one whole /64 network (RFC 6177). Empty if the connection has no
  /// address.
  package let network: [UInt8]

  /// - Parameter address: The address of a connection's peer. A Unix domain socket has no network address.
  package init(_ address: SocketAddress?) {
    // On a dual-stack socket, IPv4 addresses arrive as IPv4-mapped IPv6 addresses.
    let address = address?.unmapped
    let bytes = address?.ipBytes ?? []
    self.description = address?.ipAddress ?? "unknown"
    self.network = bytes.count == 16 ? Array(bytes.prefix(8)) : bytes
  }
}
