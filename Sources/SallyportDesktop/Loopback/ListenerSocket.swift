#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// Opens listening sockets on the loopback interface, and on nothing else (rule C-12).
enum ListenerSocket {
  /// Binds and listens.
  ///
  /// Without SO_REUSEADDR and SO_REUSEPORT, so that nobody else can bind the same port (RFC 8252 Appendix B.5, rule C-14), and closed
  /// in the programs that this one starts.
  static func open(_ address: SocketAddress) throws(SystemError) -> OwnedDescriptor {
    guard let socket = Self.make(address.family) else { throw SystemError() }
    if address.family == .ipv6 {
      // The IPv4 side has a socket of its own.
      var only: Int32 = 1
      guard setsockopt(socket.raw, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
        throw SystemError()
      }
    }
    let raw = socket.raw
    guard address.withSystemAddress({ bind(raw, $0, $1) }) == 0, listen(raw, 64) == 0 else { throw SystemError() }
    return socket
  }

  /// The port that was really bound.
  static func port(of socket: borrowing OwnedDescriptor) -> UInt16? {
    let raw = socket.raw
    return SocketAddress { getsockname(raw, $0, $1) }?.port
  }

  private static func make(_ family: SocketAddress.Family) -> OwnedDescriptor? {
    #if os(Linux)
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      return OwnedDescriptor(socket(family.raw, type, 0))
    #else
      guard let socket = OwnedDescriptor(socket(family.raw, SOCK_STREAM, 0)) else { return nil }
      Descriptors.prepare(socket.raw)
      return socket
    #endif
  }
}
