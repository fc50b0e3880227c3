import Foundation
import Logging
import PostgresTestSupport
import SallyportArgon2
import SallyportHTTPServer
import SallyportPostgres
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import Testing

@testable import SallyportDaemon

@Suite("Readiness")
struct ReadinessTests {
  private static var quiet: Logger {
    Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("the server is not ready before it has started, or after it has begun to stop")
  func phases() async throws {
    let fixture = try await TestServer()
    let readiness = Readiness(store: fixture.store, logger: Self.quiet)
    #expect(await readiness.status() == .starting)
    readiness.markStarted()
    #expect(await readiness.status() == .ready)
    readiness.markStopping()
    #expect(await readiness.status() == .stopping)
    // Even if the listener opens after the stop has begun, the server is not ready.
    readiness.markStarted()
    #expect(await readiness.status() == .stopping)
  }

  @Test("readiness changes within a second if the store can no longer be written, or can be written again")
  func fullDisk() async throws {
    let (fixture, clock) = (try await TestServer(), ManualClock())
    let store = FailingStore(fixture.store)
    let readiness = Readiness(store: store, logger: Self.quiet, now: { clock.now })
    readiness.markStarted()
    #expect(await readiness.status() == .ready)
    store.fail(with: .unavailable(reason: "SQLite error 13: database or disk is full"))
    clock.advance(by: .milliseconds(999))
    #expect(await readiness.status() == .ready)
    clock.advance(by: .milliseconds(1))
    #expect(await readiness.status() == .storeUnavailable)
    store.fail(with: nil)
    #expect(await readiness.status() == .storeUnavailable)
    clock.advance(by: .seconds(1))
    #expect(await readiness.status() == .ready)
  }

  @Test("the server is not ready after its database file is removed or replaced, although the open file can still be written")
  func removedFile() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let (directory, clock) = (try DataDirectory(path: folder.path), ManualClock())
    let path = "\(folder.path)/\(DataFiles.database)"
    let readiness = Readiness(
      store: directory.store, checkStorage: Readiness.fileCheck(path: path), logger: Self.quiet, now: { clock.now })
    readiness.markStarted()
    #expect(await readiness.status() == .ready)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    clock.advance(by: .seconds(1))
    #expect(await readiness.status() == .storeUnavailable)
    try folder.write("another", to: DataFiles.database)
    clock.advance(by: .seconds(1))
    #expect(await readiness.status() == .storeUnavailable)
  }

  @Test("the server is not ready if PostgreSQL cannot write a temporary file")
  func fullDiskOfPostgres() async throws {
    let cluster = try PostgresCluster(settings: ["fsync=off"])
    try cluster.makeDatabase("full")
    let store = PostgresStore(try PostgresAddress(cluster.url("full")))
    defer { store.close() }
    try await store.connect()
    let monitor = Monitor(
      settings: MonitoringSettings(), shutdown: ShutdownSettings(), database: .postgres(store), file: "",
      hasher: Argon2PasswordHasher(threads: 1), connections: Connections(limits: ConnectionLimits()), logger: Self.quiet)
    monitor.readiness.markStarted()
    try cluster.rejectTemporaryFiles()
    #expect(await monitor.readiness.status() == .storeUnavailable)
  }

  @Test("the server is not ready if its store is closed")
  func broken() async throws {
    let fixture = try await TestServer()
    try TestDatabase.close(fixture.store)
    let readiness = Readiness(store: fixture.store, logger: Self.quiet)
    readiness.markStarted()
    #expect(await readiness.status() == .storeUnavailable)
  }

  @Test("1,000 concurrent checks cause one write, and repeated checks write the same row")
  func once() async throws {
    let (fixture, clock) = (try await TestServer(), ManualClock())
    let store = FailingStore(fixture.store)
    let readiness = Readiness(store: store, logger: Self.quiet, now: { clock.now })
    readiness.markStarted()
    let rows = try fixture.contents().split(separator: "\n").count
    for round in 1...3 {
      let statuses = await withTaskGroup(of: Readiness.Status.self) { group in
        for _ in 0..<1_000 { group.addTask { await readiness.status() } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.count == 1_000 && statuses.allSatisfy { $0 == .ready })
      #expect(store.writes == round)
      clock.advance(by: .seconds(1))
    }
    #expect(try fixture.contents().split(separator: "\n").count == rows + 1)
  }
}
