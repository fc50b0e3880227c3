import Glibc

/// Finds an unused port, for an issuer that must be known before the server starts.
func freePort() throws -> UInt16 {
  let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { return try freePort(family: AF_INET) }
  close(descriptor)
  // A port that is free on [::] without IPV6_V6ONLY is free on IPv4 too.
  return try freePort(family: AF_INET6)
}

private func freePort(family: Int32) throws -> UInt16 {
  let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var storage = sockaddr_storage()
  storage.ss_family = sa_family_t(family)
  var length = socklen_t(family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
  let result = withUnsafeMutablePointer(to: &storage) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
    }
  }
  guard result else { throw Unexpected("cannot find an unused port: \(String(cString: strerror(errno)))") }
  // The port has the same offset in both kinds of address.
  return withUnsafeBytes(of: &storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
}
