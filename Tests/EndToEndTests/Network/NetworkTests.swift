import BrowserDriver
import Foundation
import Testing

/// The environment variable that names the ``Network`` when this test program runs itself inside a network namespace.
private let networkVariable = "SALLYPORT_TEST_NETWORK"

/// A network namespace without IPv6 or without IPv4.
enum Network: String, CaseIterable, Sendable {
  case withoutIPv6
  case withoutIPv4

  /// The commands that configure the namespace. They run as root.
  fileprivate var setUp: String {
    switch self {
    case .withoutIPv6: "sysctl -q -w net.ipv6.conf.all.disable_ipv6=1 && ip link set lo up"
    case .withoutIPv4: "ip link set lo up && ip address delete 127.0.0.1/8 dev lo"
    }
  }

  var serverHost: String { self == .withoutIPv4 ? "::1" : "127.0.0.1" }
  var redirectHost: String { self == .withoutIPv4 ? "[::1]" : "127.0.0.1" }
}

extension EndToEndTests {
  @Suite struct NetworkTests {
    @Test("C-10: a user can sign in on a machine without IPv6 or without IPv4", arguments: Network.allCases)
    func network(_ network: Network) async throws {
      let program = try #require(Bundle.main.executablePath)
      // Only root can create a network namespace, so other users also create a user namespace in which they are root.
      var unshare = getuid() == 0 ? ["--net"] : ["--net", "--map-root-user"]
      var setUp = network.setUp
      if try !Self.hostsFileHasBothFamilies() {
        unshare.append("--mount")
        setUp = "mount --bind \"$1\" /etc/hosts && \(setUp)"
      }
      let script = "\(setUp) && exec \"$0\" --testing-library swift-testing --filter InsideNetworkTests"
      var environment = ProcessInfo.processInfo.environment
      environment[networkVariable] = network.rawValue
      environment["PATH", default: ""] += ":/usr/sbin:/sbin"
      try await withTemporaryFolder { folder in
        let hosts = "\(folder)/hosts"
        try "127.0.0.1 localhost\n::1 localhost\n".write(toFile: hosts, atomically: true, encoding: .utf8)
        let finished = try await run(
          ChildCommand("/usr/bin/unshare", unshare + ["/bin/sh", "-c", script, program, hosts], environment: environment),
          folder: folder, within: .seconds(90))
        #expect(finished.status == .exited(0), "\(finished)")
        #expect((finished.output + finished.errorOutput).contains("Test run with 1 test"), "\(finished)")
      }
    }

    /// Whether `/etc/hosts` has an IPv4 and an IPv6 address for `localhost`. If an address is missing, as in some
    /// containers, the test mounts another file over `/etc/hosts`. The test does so only if necessary, because mounting
    /// is not allowed everywhere.
    private static func hostsFileHasBothFamilies() throws -> Bool {
      let lines = try String(contentsOfFile: "/etc/hosts", encoding: .utf8).split(separator: "\n")
      let entries = lines.map { $0.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace) }
      let addresses = entries.filter { $0.dropFirst().contains("localhost") }.compactMap(\.first)
      return addresses.contains("127.0.0.1") && addresses.contains("::1")
    }
  }

  @Suite(
    .enabled(
      if: ProcessInfo.processInfo.environment[networkVariable] != nil, "NetworkTests runs this suite in a network namespace"))
  struct InsideNetworkTests {
    @Test("the sign-in that NetworkTests runs inside network namespaces")
    func signIn() async throws {
      let network = try #require(ProcessInfo.processInfo.environment[networkVariable].flatMap(Network.init))
      let notes = TestClient(
        id: "notes", name: "Notes",
        redirectURIs: ["http://127.0.0.1/oauth2redirect/localhost", "http://[::1]/oauth2redirect/localhost"])
      try await withServer(clients: [notes], host: network.serverHost) { server in
        try await withUser { user in
          let login = try await user.beginLogin(server, notes)
          defer { login.process.end() }
          let location = try await signInWithoutBrowser(login, at: server)
          #expect(location.hasPrefix("http://\(network.redirectHost):"))
          #expect(try await user.sallyport("token").status == .exited(0))
        }
      }
    }
  }
}
