/// The client address of a request: the address of the connection, or the address that a trusted proxy reports.
package struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
  /// The canonical text, such as `203.0.113.7` or `2001:db8::7`; `unknown` if the connection has no address.
  package let description: String
  /// The bytes by which requests are counted: an IPv4 address, or the first 64 bits of an IPv6 address, because a
  /// subscriber has a whole /64 network (RFC 6177). Empty if the connection has no address.
  package let network: [UInt8]

  package static let unknown = ClientAddress(description: "unknown", network: [])

  /// - Parameter bytes: The 4 or 16 bytes of the address.
  package init(_ description: String, bytes: [UInt8]) {
    self.init(description: description, network: bytes.count == 16 ? Array(bytes.prefix(8)) : bytes)
  }

  private init(description: String, network: [UInt8]) {
    self.description = description
    self.network = network
  }
}
