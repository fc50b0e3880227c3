import BrowserDriver
import Foundation
import PostgresTestSupport

/// Two servers on one PostgreSQL database, behind a load balancer whose address is the issuer.
final class ServerCluster {
  /// The home folders of the servers. The user's account and the clients are in the database, which both servers use.
  let homes: [ServerHome]
  private var servers: [ChildProcess?] = [nil, nil]
  private let balancer: ChildProcess

  /// - Parameter folder: An empty folder.
  init(in folder: String, clients: [TestClient]) async throws {
    let database = "end_to_end_\(UInt64.random(in: 0 ... .max))"
    let cluster = try PostgresCluster.shared()
    try cluster.makeDatabase(database)
    let port = try freePort()
    self.homes = try ["first", "second"].map { name in
      try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
      return ServerHome(
        folder: "\(folder)/\(name)", issuer: "http://localhost:\(port)", host: "127.0.0.1", port: try freePort(),
        database: cluster.url(database))
    }
    try await self.homes[0].addAccount()
    for client in clients { try await self.homes[0].addClient(client) }
    // All servers need the same key file.
    try FileManager.default.createDirectory(
      atPath: self.homes[1].data, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try FileManager.default.copyItem(atPath: "\(self.homes[0].data)/key", toPath: "\(self.homes[1].data)/key")
    self.balancer = try Self.startBalancer(on: port, for: self.homes, in: folder)
    for index in 0...1 { try await self.start(index) }
  }

  /// Starts a server, and waits until it accepts connections.
  func start(_ index: Int) async throws {
    self.servers[index] = try await self.homes[index].serve()
  }

  /// Stops a server, so that all requests go to the other one.
  func stop(_ index: Int) async throws {
    guard let server = self.servers[index] else { return }
    server.signal(SIGTERM)
    _ = try await server.waitForExit()
    self.servers[index] = nil
  }

  func end() {
    for server in self.servers { server?.end() }
    self.balancer.end()
  }

  /// Starts HAProxy, which sends connections to the servers in turn. If a server does not accept a connection, HAProxy
  /// sends the connection to the other server.
  private static func startBalancer(on port: UInt16, for homes: [ServerHome], in folder: String) throws -> ChildProcess {
    let servers = homes.enumerated().map { index, home in "  server server\(index) 127.0.0.1:\(home.port)" }
    let configuration = """
      defaults
        mode tcp
        timeout connect 5s
        timeout client 60s
        timeout server 60s
        retries 3
        option redispatch 1
      listen sallyport
        bind 127.0.0.1:\(port)
        balance roundrobin
      \(servers.joined(separator: "\n"))

      """
    try configuration.write(toFile: "\(folder)/haproxy.cfg", atomically: true, encoding: .utf8)
    return try ChildProcess(ChildCommand("/usr/sbin/haproxy", ["-db", "-f", "\(folder)/haproxy.cfg"]), folder: folder)
  }
}

/// Runs two servers on one PostgreSQL database while `body` runs.
func withCluster(
  clients: [TestClient], isolation: isolated (any Actor)? = #isolation, _ body: (ServerCluster) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let cluster = try await ServerCluster(in: folder, clients: clients)
    defer { cluster.end() }
    try await body(cluster)
  }
}
