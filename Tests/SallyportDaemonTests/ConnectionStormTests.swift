import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import PostgresTestSupport
import SallyportHTTP
import SallyportPostgres
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

@testable import SallyportDaemon

/// Sends many requests at once while the database is frozen. A frozen database accepts connections but does not
/// respond.
@Suite("Connection storms", .serialized, .timeLimit(.minutes(3)))
struct ConnectionStormTests {
  private struct Site {
    let cluster: PostgresCluster
    let store: PostgresStore
    let server: AuthorizationServer

    init() throws {
      self.cluster = try PostgresCluster(settings: ["fsync=off"])
      try self.cluster.makeDatabase("storm")
      var limits = PostgresStore.Limits()
      limits.connections = 4
      self.store = PostgresStore(try PostgresAddress(self.cluster.url("storm")), limits: limits)
      self.server = AuthorizationServer(
        configuration: ServerConfiguration(issuer: try Issuer("http://localhost:1")), store: self.store,
        masterKey: try TestKeys.masterKey(), hasher: TestPasswordHasher())
    }

    func serving(_ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
      var logger = Logger(label: "test")
      logger.logLevel = .critical
      let router = AuthorizationServerRouter(server: self.server, failuresPerSecond: 0)
      try await Application(router: router.build(), logger: logger).test(.router) { try await body($0) }
    }
  }

  /// Sends a token request of an unknown client, which the server must look up in the database.
  private static func send(_ client: any TestClientProtocol) async throws -> TestResponse {
    try await client.execute(
      uri: "/token", method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
      body: ByteBuffer(string: "grant_type=client_credentials&client_id=unknown"))
  }

  /// Waits until the server responds to `count` simultaneous requests that need the database.
  private static func waitForDatabase(_ client: any TestClientProtocol, _ count: Int) async throws {
    for _ in 0..<300 {
      let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
        for _ in 0..<count { group.addTask { try await Self.send(client).status } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      if statuses.allSatisfy({ $0 == .unauthorized }) { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    Issue.record("the database is not available")
  }

  /// Sleeps repeatedly until the current task is canceled, and returns the total time by which the sleeps ended late.
  /// The test adds this time to the limit for the responses, because other tests can keep the machine busy or block the
  /// threads that run tasks.
  private static func lateness() async -> Duration {
    let pause = Duration.milliseconds(20)
    var total = Duration.zero
    while !Task.isCancelled {
      let began = ContinuousClock.now
      try? await Task.sleep(for: pause)
      total += max(.zero, began.duration(to: .now) - pause)
    }
    return total
  }

  /// - Parameter isConnected: Whether the store has connections when the database freezes.
  @Test(
    "500 requests that cannot get one of four connections get 503 with Retry-After within two seconds, and the server recovers",
    arguments: [true, false])
  func storm(isConnected: Bool) async throws {
    let site = try Site()
    defer { site.store.close() }
    try await site.serving { client in
      if isConnected { try await Self.waitForDatabase(client, 8) }
      let processes = try site.cluster.freeze()
      defer { site.cluster.resume(processes) }
      let delays = Task { await Self.lateness() }
      let slowest = try await withThrowingTaskGroup(of: Duration.self) { group in
        for _ in 0..<500 {
          group.addTask {
            let began = ContinuousClock.now
            let response = try await Self.send(client)
            #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] != nil)
            return began.duration(to: .now)
          }
        }
        return try await group.reduce(.zero, max)
      }
      delays.cancel()
      let lateness = await delays.value
      #expect(slowest < .seconds(2) + lateness, "\(slowest), on a machine with delays of \(lateness)")
      site.cluster.resume(processes)
      try await Self.waitForDatabase(client, 8)
    }
  }
}
