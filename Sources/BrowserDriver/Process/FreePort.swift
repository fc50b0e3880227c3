import Glibc
import Synchronization

/// Thrown when no TCP port can be bound.
package struct PortError: Error, Sendable, CustomStringConvertible {
  package var reason: String
  package var description: String { "cannot find an unused port: \(self.reason)" }
}

/// Finds an unused TCP port, for a server whose URL must be known before it starts.
///
/// The port is unused at all IPv4 and IPv6 addresses of this machine, or, if it cannot be bound for IPv6, at all IPv4
/// addresses. It is less than 30000: by default, Linux gives such ports only to programs that ask for them by number,
/// so a test that lets the system choose a port doesn't get this port. A process tries all of its 20,000 candidates
/// before it tries one of them again.
package func freePort() throws(PortError) -> UInt16 {
  var failure = PortError(reason: "no port was tried")
  for _ in 0..<100 {
    do throws(PortError) {
      let (descriptor, port) = try bindPort(candidates.next())
      close(descriptor)
      return port
    } catch {
      failure = error
    }
  }
  throw failure
}

/// The ports to try. The first port depends on the process identifier, so that concurrent processes rarely try the same
/// ports: processes with successive identifiers begin 97 ports apart.
private let candidates = PortCandidates()

private final class PortCandidates: Sendable {
  private let count = Mutex(Int(getpid()) &* 97)

  func next() -> UInt16 {
    self.count.withLock { count in
      count += 1
      return UInt16(10_000 + count % 20_000)
    }
  }
}

/// Runs `body` with a TCP port that refuses connections.
///
/// The port is bound, so that no other program can use it, but nothing listens on it.
package func withClosedPort<R>(
  isolation: isolated (any Actor)? = #isolation, _ body: (UInt16) async throws -> R
) async throws -> R {
  let (descriptor, port) = try bindPort()
  defer { close(descriptor) }
  return try await body(port)
}

/// - Parameter port: The port to bind, or 0 for any unused port.
private func bindPort(_ port: UInt16 = 0) throws(PortError) -> (descriptor: Int32, port: UInt16) {
  do throws(PortError) { return try bindPort(port, AF_INET6) } catch { return try bindPort(port, AF_INET) }
}

/// Binds a port at all addresses of the family. For IPv6, these include the IPv4 addresses.
private func bindPort(_ port: UInt16, _ family: Int32) throws(PortError) -> (descriptor: Int32, port: UInt16) {
  let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { throw PortError(reason: String(cString: strerror(errno))) }
  var storage = sockaddr_storage()
  storage.ss_family = sa_family_t(family)
  // The port has the same offset in both kinds of address.
  withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self) }
  var length = socklen_t(family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &storage) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
    }
  }
  guard isBound else {
    let reason = String(cString: strerror(errno))
    close(descriptor)
    throw PortError(reason: reason)
  }
  return (descriptor, withUnsafeBytes(of: &storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) })
}
