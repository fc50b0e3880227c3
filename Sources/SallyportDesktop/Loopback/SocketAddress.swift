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

/// An IPv4 or IPv6 address with a port.
struct SocketAddress: Equatable, Sendable {
  enum Family: Sendable, CaseIterable {
    case ipv4, ipv6

    var raw: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }
  }

  let family: Family
  /// The 32-bit words of the address in memory order: one for IPv4, four for IPv6.
  let words: [UInt32]
  let port: UInt16

  static func loopback(_ family: Family, port: UInt16) -> SocketAddress {
    switch family {
    case .ipv4: SocketAddress(family: .ipv4, words: [UInt32(0x7F00_0001).bigEndian], port: port)
    case .ipv6: SocketAddress(family: .ipv6, words: [0, 0, 0, UInt32(1).bigEndian], port: port)
    }
  }

  /// Whether the address is in `127.0.0.0/8` or is `::1`.
  var isLoopback: Bool {
    switch self.family {
    case .ipv4: self.words[0].bigEndian >> 24 == 127
    case .ipv6: self.words == [0, 0, 0, UInt32(1).bigEndian]
    }
  }

  init(family: Family, words: [UInt32], port: UInt16) {
    self.family = family
    self.words = words
    self.port = port
  }

  /// Reads the address that `getsockname`, `getpeername`, or a similar call writes. Returns `nil` if the call fails
  /// or the address is neither IPv4 nor IPv6.
  init?(reading call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
    }
    guard result == 0 else { return nil }
    switch Int32(storage.ss_family) {
    case AF_INET:
      let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self) }
      let words = withUnsafeBytes(of: address.sin_addr) { Array($0.bindMemory(to: UInt32.self)) }
      self.init(family: .ipv4, words: words, port: UInt16(bigEndian: address.sin_port))
    case AF_INET6:
      let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in6.self) }
      let words = withUnsafeBytes(of: address.sin6_addr) { Array($0.bindMemory(to: UInt32.self)) }
      self.init(family: .ipv6, words: words, port: UInt16(bigEndian: address.sin6_port))
    default: return nil
    }
  }

  /// Passes the address to `body` as the system's structure.
  func withSystemAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    switch self.family {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = Self.systemFamily(AF_INET)
      address.sin_port = self.port.bigEndian
      self.copy(to: &address.sin_addr)
      return Self.pass(&address, to: body)
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = Self.systemFamily(AF_INET6)
      address.sin6_port = self.port.bigEndian
      self.copy(to: &address.sin6_addr)
      return Self.pass(&address, to: body)
    }
  }

  private func copy<A>(to address: inout A) {
    withUnsafeMutableBytes(of: &address) { raw in
      self.words.withUnsafeBytes { raw.copyMemory(from: $0) }
    }
  }

  #if os(Windows)
    private static func systemFamily(_ family: Int32) -> ADDRESS_FAMILY { ADDRESS_FAMILY(family) }
  #else
    private static func systemFamily(_ family: Int32) -> sa_family_t { sa_family_t(family) }
  #endif

  private static func pass<A, R>(_ address: inout A, to body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<A>.size)) }
    }
  }
}
