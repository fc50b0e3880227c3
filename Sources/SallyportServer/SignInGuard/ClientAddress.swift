/// Where a request comes from: the address of the connection, or the one that a proxy of the operator's tells.
package struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
  /// In its one spelling, such as `203.0.113.7` or `2001:db8::7`; `unknown` where a connection has none.
  package let description: String
  /// What counts as one place: an IPv4 address, or the 64 bits of an IPv6 one behind which a subscriber has as many as they like
  /// (RFC 6177).
  package let network: [UInt8]

  package static let unknown = ClientAddress(description: "unknown", network: [])

  /// - Parameter bytes: 4 or 16.
  package init(_ description: String, bytes: [UInt8]) {
    self.init(description: description, network: bytes.count == 16 ? Array(bytes.prefix(8)) : bytes)
  }

  private init(description: String, network: [UInt8]) {
    self.description = description
    self.network = network
  }
}
