import NIOCore

/// An IP address, or a range in CIDR notation: `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32` (RFC 4632 §3.1, RFC 4291
/// §2.3).
public struct AddressRange: Sendable, Hashable {
  private let bytes: [UInt8]
  /// The length of the prefix in bits.
  private let bits: Int

  /// Parses an address or range.
  ///
  /// Rejects a range with nonzero bits after its prefix, and a range that contains every address (`/0`).
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = SocketAddress(literal: parts[0]) else { return nil }
    let bytes = address.ipBytes
    var bits = bytes.count * 8
    if parts.count == 2 {
      guard let prefixLength = Int(parts[1]), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      // An IPv4-mapped IPv6 address was converted to IPv4, which removed its first 96 bits.
      bits = prefixLength - (parts[0].contains(":") && bytes.count == 4 ? 96 : 0)
    }
    guard (1...bytes.count * 8).contains(bits), Self.prefix(of: bytes, bits) == bytes else { return nil }
    self.bytes = bytes
    self.bits = bits
  }

  /// Whether the range contains an address. An address of the other IP version has a different length, so the result is
  /// false.
  func contains(_ bytes: [UInt8]) -> Bool {
    Self.prefix(of: bytes, self.bits) == self.bytes
  }

  /// Returns the bytes with all bits after the first `bits` set to zero.
  private static func prefix(of bytes: [UInt8], _ bits: Int) -> [UInt8] {
    bytes.enumerated().map { index, byte in
      switch bits - index * 8 {
      case 8...: byte
      case ...0: 0
      case let left: byte & ~(0xFF >> UInt8(left))
      }
    }
  }
}
