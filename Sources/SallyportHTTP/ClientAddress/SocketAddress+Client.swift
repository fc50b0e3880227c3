import NIOCore
import SallyportServer

extension SocketAddress {
  /// The address that a text is, without a port; nil for a name, and for an IPv6 address with a zone, which means something on
  /// one machine only.
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

  /// An IPv4 address that a socket for both families shows inside of an IPv6 one (RFC 4291 §2.5.5.2), as what it is.
  var unmapped: SocketAddress {
    guard case .v6 = self else { return self }
    let bytes = self.ipBytes
    guard bytes.count == 16, bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] else { return self }
    return (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes.suffix(4)), port: self.port ?? 0)) ?? self
  }

  /// 4 or 16 bytes; none for a socket in the file system. In a `sockaddr_in` they follow family and port, in a `sockaddr_in6` the
  /// flow too.
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

extension ClientAddress {
  /// The client at the other end of a connection; unknown for a socket in the file system.
  init(_ address: SocketAddress?) {
    let address = address?.unmapped
    self = address?.ipAddress.map { ClientAddress($0, bytes: address?.ipBytes ?? []) } ?? .unknown
  }
}
