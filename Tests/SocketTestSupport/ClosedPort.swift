import Glibc
import SallyportRemote

/// A TCP port of 127.0.0.1 that refuses connections while the body runs.
///
/// The port is bound, so that no other program can use it, but nothing listens on it.
package func withClosedPort<Value: Sendable>(_ body: (Int) async throws -> Value) async throws -> Value {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
    }
  }
  guard isBound else { throw TransportError.unreachable(reason: "cannot bind a port: \(String(cString: strerror(errno)))") }
  return try await body(Int(UInt16(bigEndian: address.sin_port)))
}
