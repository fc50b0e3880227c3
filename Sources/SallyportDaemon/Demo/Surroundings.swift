#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Properties of the machine that the demo runs on.
enum Surroundings {
  /// Whether a window can be opened.
  static var hasDisplay: Bool {
    #if os(Linux)
      let names: [String] = ["DISPLAY", "WAYLAND_DISPLAY"]
      return names.contains { name in getenv(name).map { $0.pointee != 0 } ?? false }
    #else
      true
    #endif
  }
}

/// Finds an unused port of the loopback interface.
enum FreePort {
  static func find() throws(Failure) -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure("no socket: \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let found = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
      }
    }
    guard found else { throw Failure("no free port: \(String(cString: strerror(errno)))") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
