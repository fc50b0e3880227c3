import Glibc
import Testing

/// Tests receivers in network namespaces with fewer or more addresses than usual. Creating a network namespace requires
/// root, or permission to create user namespaces.
@Suite(.timeLimit(.minutes(3)))
struct NetworkNamespaceTests {
  @Test("C-09, C-10: the response arrives in a network without IPv6")
  func withoutIPv6() async throws {
    let lines = try await self.roundTrip("ip -6 addr flush dev lo")
    #expect(lines.first?.hasPrefix("redirect http://127.0.0.1:") == true)
    #expect(lines.last == "HTTP/1.1 200 OK")
  }

  @Test("C-09, C-10: the response arrives in a network without IPv4")
  func withoutIPv4() async throws {
    let lines = try await self.roundTrip("ip -4 addr flush dev lo")
    #expect(lines.first?.hasPrefix("redirect http://[::1]:") == true)
    #expect(lines.last == "HTTP/1.1 200 OK")
  }

  @Test("C-12: the port is not open at the other addresses of the machine, such as 192.0.2.1 and 127.0.0.2")
  func anotherAddress() async throws {
    let lines = try await self.roundTrip("ip addr add 192.0.2.1/32 dev lo", refused: ["192.0.2.1", "127.0.0.2"])
    #expect(lines.dropFirst() == ["192.0.2.1 refused", "127.0.0.2 refused", "HTTP/1.1 200 OK"])
  }

  @Test("C-10: on a machine without a loopback address, the receiver reports an error")
  func withoutLoopback() async throws {
    let lines = try await self.roundTrip("ip addr flush dev lo")
    #expect(lines == ["cannot bind: this machine has no suitable loopback address"])
  }

  /// Runs the command `round-trip` of `DesktopProbe` in a new network namespace, and returns its output.
  /// - Parameters:
  ///   - change: The shell command that changes the addresses of the namespace.
  ///   - refused: The addresses at which the receiver's port must not be open. The probe tries to connect to each.
  private func roundTrip(_ change: String, refused: [String] = []) async throws -> [String] {
    let script = "ip link set lo up && \(change) && exec \(try Probe.path) round-trip \(refused.joined(separator: " "))"
    let namespace = geteuid() == 0 ? ["unshare", "-n"] : ["unshare", "-rn"]
    return await (try Probe(namespace + ["timeout", "50", "sh", "-c", script])).lines()
  }
}
