import SallyportSystem

#if os(Windows)
  import WinSDK
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// Opens listening sockets on the loopback interface only (rule C-12).
enum ListenerSocket {
  /// Binds and listens.
  ///
  /// The socket has neither `SO_REUSEADDR` nor `SO_REUSEPORT`, so that no other program can bind the same port (RFC
  /// 8252 Appendix B.5, rule C-14). On Windows, where that is not sufficient, it has `SO_EXCLUSIVEADDRUSE` (Appendix
  /// B.3, rule C-15). Child processes don't inherit the socket.
  static func open(_ address: SocketAddress) throws(SystemError) -> OwnedDescriptor {
    let socket = try Self.make(address.family)
    #if os(Windows)
      // SO_EXCLUSIVEADDRUSE, a macro that Swift does not import. winsock2.h defines it as ((int)(~SO_REUSEADDR)).
      try Self.enable(~SO_REUSEADDR, level: SOL_SOCKET, of: socket)
    #endif
    if address.family == .ipv6 {
      // IPv4 connections have a socket of their own.
      try Self.enable(Int32(IPV6_V6ONLY), level: Self.ipv6Level, of: socket)
    }
    let raw = socket.raw
    guard address.withSystemAddress({ bind(raw, $0, $1) }) == 0, listen(raw, 64) == 0 else { throw SystemError() }
    return socket
  }

  /// The port that the socket is bound to, which the system chose if none was specified. `nil` if the call fails.
  static func port(of socket: borrowing OwnedDescriptor) -> UInt16? {
    let raw = socket.raw
    return SocketAddress { getsockname(raw, $0, $1) }?.port
  }

  private static func enable(_ option: Int32, level: Int32, of socket: borrowing OwnedDescriptor) throws(SystemError) {
    var on: Int32 = 1
    let result = withUnsafeBytes(of: &on) { bytes in
      #if os(Windows)
        setsockopt(socket.raw, level, option, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count))
      #else
        setsockopt(socket.raw, level, option, bytes.baseAddress, socklen_t(bytes.count))
      #endif
    }
    guard result == 0 else { throw SystemError() }
  }

  private static func make(_ family: SocketAddress.Family) throws(SystemError) -> OwnedDescriptor {
    #if os(Linux)
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      guard let descriptor = OwnedDescriptor(socket(family.raw, type, 0)) else { throw SystemError() }
      return descriptor
    #else
      #if os(Windows)
        try WindowsSockets.start()
      #endif
      guard let descriptor = OwnedDescriptor(socket(family.raw, Int32(SOCK_STREAM), 0)) else { throw SystemError() }
      Descriptors.prepare(descriptor.raw)
      return descriptor
    #endif
  }

  private static var ipv6Level: Int32 {
    #if os(Windows)
      // IPPROTO_IPV6
      41
    #else
      Int32(IPPROTO_IPV6)
    #endif
  }
}
