import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import SallyportArgon2
import SallyportHTTPServer
import SallyportObservability
import SallyportMetrics
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import Testing

@testable import SallyportDaemon

@Suite("Monitoring listener")
struct MonitoringTests {
  private static var quiet: Logger {
    Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("the listener has routes for metrics, health, and readiness, and no others")
  func addresses() async throws {
    let fixture = try await TestServer(database: .sqlite)
    let store = try #require(fixture.store as? SQLiteStore)
    let readiness = Readiness(store: fixture.store, logger: Self.quiet)
    let prometheus = Monitor.prometheus(
      database: .sqlite(store), hasher: Argon2PasswordHasher(threads: 1), connections: Connections(limits: ConnectionLimits()))
    let routes = MonitoringRoutes(metrics: prometheus, readiness: readiness)
    let application = Application(router: routes.router(), logger: Self.quiet)
    try await application.test(.router) { client in
      let metrics = try await client.execute(uri: "/metrics", method: .get)
      #expect(metrics.status == .ok && metrics.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
      #expect(String(buffer: metrics.body).contains("\nsallyport_build_info{version=\""))
      #expect(try await client.execute(uri: "/healthz", method: .get).status == .ok)
      let starting = try await client.execute(uri: "/readyz", method: .get)
      #expect(starting.status == .serviceUnavailable && String(buffer: starting.body) == "starting\n")
      readiness.markStarted()
      let ready = try await client.execute(uri: "/readyz", method: .get)
      #expect(ready.status == .ok && String(buffer: ready.body) == "ready\n" && ready.headers[.cacheControl] == "no-store")
      readiness.markStopping()
      #expect(try await client.execute(uri: "/readyz", method: .get).status == .serviceUnavailable)
      #expect(try await client.execute(uri: "/healthz", method: .get).status == .ok)
      for path in ["/", "/token", "/jwks", "/metrics/x"] {
        #expect(try await client.execute(uri: path, method: .get).status == .notFound, "\(path)")
      }
      #expect(try await client.execute(uri: "/metrics", method: .post).status == .notFound)
    }
  }

  @Test("the table in docs/guides/running.md lists all metrics with their types, and no others")
  func documented() async throws {
    let fixture = try await TestServer(database: .sqlite)
    let store = try #require(fixture.store as? SQLiteStore)
    let prometheus = Monitor.prometheus(
      database: .sqlite(store), hasher: Argon2PasswordHasher(threads: 1), connections: Connections(limits: ConnectionLimits()))
    let lines = prometheus.text().split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ") }
    var kinds = Dictionary(uniqueKeysWithValues: lines.map { (String($0[2]), String($0[3])) })
    for metric in ServerMetric.allCases {
      kinds[metric.rawValue] =
        switch metric.description.kind {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let guide = try String(contentsOf: root.appending(path: "docs/guides/running.md"), encoding: .utf8)
    let rows = guide.matches(of: #/\n\| `([a-z_]+)` \| ([a-z]+) \|/#).map { (String($0.1), String($0.2)) }
    #expect(Dictionary(rows) { first, _ in first } == kinds)
    #expect(rows.count == kinds.count)
  }

  @Test("the number of open connections is read when the metrics are read")
  func openConnections() async throws {
    let fixture = try await TestServer(database: .sqlite)
    let store = try #require(fixture.store as? SQLiteStore)
    let connections = Connections(limits: ConnectionLimits())
    let prometheus = Monitor.prometheus(
      database: .sqlite(store), hasher: Argon2PasswordHasher(threads: 1), connections: connections)
    #expect(prometheus.text().contains("\nsallyport_http_connections 0\n"))
    let application = Application(router: Router(), server: .onEventLoops(connections), logger: Self.quiet)
    try await application.test(.live) { client in
      // The client keeps its connection open.
      _ = try await client.execute(uri: "/", method: .get)
      #expect(prometheus.text().contains("\nsallyport_http_connections 1\n"))
    }
  }
}
