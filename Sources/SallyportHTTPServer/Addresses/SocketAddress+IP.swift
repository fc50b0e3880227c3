import NIOCore

extension SocketAddress {
  /// Parses an IP address without a port.
  ///
  /// Rejects host names, and IPv6 addresses with a zone, because a zone is meaningful only on one machine.
  init?(literal text: some StringProtocol) {
    let isLiteral = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
        UInt8(ascii: "."), UInt8(ascii: ":"):
        true
      default: false
      }
    }
    guard isLiteral, let address = try? SocketAddress(ipAddress: String(text), port: 0) else { return nil }
    self = address.unmapped
  }

  /// The address itself, or the IPv4 address if this is an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). Dual-stack
  /// sockets report IPv4 peers as IPv4-mapped addresses.
  var unmapped: SocketAddress {
    guard case .v6 = self else { return self }
    let bytes = self.ipBytes
    guard bytes.count == 16, bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] else { return self }
    return (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes.suffix(4)), port: self.port ?? 0)) ?? self
  }

  /// The 4 or 16 bytes of the address; empty for a Unix domain socket.
  ///
  /// In a `sockaddr_in`, the family and the port precede these bytes. In a `sockaddr_in6`, the family, the port, and
  /// the flow label precede them.
  var ipBytes: [UInt8] {
    self.withSockAddr { pointer, size in
      let bytes = UnsafeRawBufferPointer(start: pointer, count: size)
      return switch self {
      case .v4 where size >= 8: Array(bytes[4..<8])
      case .v6 where size >= 24: Array(bytes[8..<24])
      default: []
      }
    }
  }
}
