import Glibc

@testable import SallyportDesktop

/// The listening sockets of this process, according to the kernel.
enum ListeningSockets {
  /// The descriptors of the sockets that listen on a port. The standard streams have the descriptors below 3.
  static func all(on port: UInt16) -> [Int32] {
    (3..<1024).filter { descriptor in
      self.option(descriptor, SOL_SOCKET, SO_ACCEPTCONN) == 1
        && SocketAddress { getsockname(descriptor, $0, $1) }?.port == port
    }
  }

  static func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, level, name, &value, &length) == 0 ? value : nil
  }

  /// Tries to bind a port that another socket has bound. Returns the error number, or 0 if the port was bound again.
  /// - Parameter reusing: Whether the second socket has the options `SO_REUSEADDR` and `SO_REUSEPORT`.
  static func bindError(_ family: SocketAddress.Family, port: UInt16, reusing: Bool) -> Int32 {
    let descriptor = socket(family.raw, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var isOn: Int32 = reusing ? 1 : 0
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &isOn, socklen_t(MemoryLayout<Int32>.size))
    let result = SocketAddress.loopback(family, port: port).withSystemAddress { bind(descriptor, $0, $1) }
    return result == 0 ? 0 : errno
  }
}

/// The addresses of this machine.
enum NetworkAddresses {
  /// The addresses on which the receiver must not be reachable: 127.0.0.2 (on Linux, all of 127.0.0.0/8 belongs to
  /// this machine), and the addresses of this machine's network interfaces.
  static var others: [SocketAddress] {
    var addresses = [SocketAddress(family: .ipv4, words: [UInt32(0x7F00_0002).bigEndian], port: 0)]
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return addresses }
    defer { freeifaddrs(list) }
    var entry = list
    while let current = entry?.pointee {
      entry = current.ifa_next
      guard let raw = current.ifa_addr else { continue }
      let address = SocketAddress { target, length in
        let size = Int32(raw.pointee.sa_family) == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        guard [AF_INET, AF_INET6].contains(Int32(raw.pointee.sa_family)) else { return -1 }
        memcpy(target, raw, size)
        length.pointee = socklen_t(size)
        return 0
      }
      if let address, !address.isLoopback { addresses.append(address) }
    }
    return addresses
  }
}
