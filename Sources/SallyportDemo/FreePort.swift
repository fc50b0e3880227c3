#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Finds an unused port on the loopback interface.
enum FreePort {
  static func find() throws(DemoError) -> UInt16 {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw DemoError("Cannot open a socket: \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let found = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
      }
    }
    guard found else { throw DemoError("Cannot find an unused port: \(String(cString: strerror(errno)))") }
    return UInt16(bigEndian: address.sin_port)
  }
}
