import Foundation
import PostgresTestSupport
import ServerTestSupport
import Testing

/// Tests server processes that kill themselves between a commit and the response, or are killed at any time.
@Suite("Crashes under load", .serialized, .timeLimit(.minutes(30)))
struct CrashTests {
  /// The number of rounds. In each round, the test kills a process. `SALLYPORT_KILL_ROUNDS=100` runs a longer test.
  private static let rounds = ProcessInfo.processInfo.environment["SALLYPORT_KILL_ROUNDS"].flatMap { Int($0) } ?? 5

  @Test(
    "S-22, S-23: no acknowledged token is lost, no code is redeemed twice, and no grant has two valid refresh tokens",
    arguments: [1, 2], TestDatabase.Kind.allCases)
  func kills(processes: Int, database kind: TestDatabase.Kind) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await Self.run(TestDatabase(kind, in: folder), processes: processes) { _ in }
  }

  @Test("S-22, S-23: no acknowledged token is lost and no code is redeemed twice if the database server is killed")
  func killsDatabase() async throws {
    // Without fsync, a commit can be lost if the machine crashes, but not if only the database server is killed.
    let cluster = try PostgresCluster(settings: ["fsync=off"])
    let database = try TestDatabase(.postgres, in: FileManager.default.temporaryDirectory, on: cluster)
    let load = try await Self.run(database, processes: 2) { load in
      let before = load.ledger.current.failedCount
      try cluster.crash()
      try await Self.until { load.ledger.current.failedCount > before }
      let acknowledged = load.ledger.current.acknowledgedCount
      try await Self.until { load.ledger.current.acknowledgedCount > acknowledged + 10 || !load.ledger.current.faults.isEmpty }
    }
    #expect(load.ledger.current.failedCount > 0)
  }

  @Test(
    "S-22, S-23: no acknowledged token is lost and no code is redeemed twice if the disk is full during a part of each round",
    .enabled(if: getuid() == 0, "mounting requires root"))
  func fullDisk() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try #require(mount("tmpfs", folder.path, "tmpfs", 0, "size=64m") == 0)
    defer { umount2(folder.path, Int32(MNT_DETACH)) }
    let load = try await Self.run(TestDatabase(.sqlite, in: folder), processes: 2) { load in
      let before = load.ledger.current.failedCount
      try Self.fill(folder)
      try await Self.until { load.ledger.current.failedCount > before + 5 }
      load.site.killOne()
      try FileManager.default.removeItem(at: folder.appending(path: "filler"))
    }
    #expect(load.ledger.current.failedCount > 0)
  }

  /// Runs the processes under load, kills one in each round, and checks the results.
  /// - Parameter trouble: Called in each round after a process was killed. It can cause another failure.
  @discardableResult
  private static func run(
    _ database: TestDatabase, processes: Int, trouble: @Sendable (CrashLoadGenerator) async throws -> Void
  ) async throws -> CrashLoadGenerator {
    let load = CrashLoadGenerator(site: try await CrashSite(database, processes: processes))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<processes { group.addTask { await load.site.supervise(index) } }
      for session in 0..<6 { group.addTask { try await load.keepRefreshing(session) } }
      for _ in 0..<2 { group.addTask { try await load.keepRedeeming() } }
      for _ in 0..<Self.rounds {
        let before = load.ledger.current.acknowledgedCount
        try await Self.until { load.ledger.current.acknowledgedCount > before + 60 || !load.ledger.current.faults.isEmpty }
        load.site.killOne()
        try await trouble(load)
      }
      try await Self.until { load.ledger.current.sessions.count == 6 }
      group.cancelAll()
      try await group.waitForAll()
    }
    try await Self.check(load, processes)
    return load
  }

  private static func check(_ load: CrashLoadGenerator, _ processes: Int) async throws {
    let ledger = load.ledger.current
    #expect(ledger.faults.isEmpty, "\(ledger.faults)")
    #expect(ledger.diedCount > 0 && ledger.replayed.count > 5, "too few codes were replayed, or no process died: \(ledger)")
    #expect(try load.site.database.isIntact())
    for grant in ledger.replayed {
      #expect(try load.site.state(of: grant)?.isRevoked == true, "a replayed code left a valid grant")
    }
    // Keep a process running for the last refresh of each session.
    let supervisor = Task { await load.site.supervise(0) }
    for (session, (grant, token)) in ledger.sessions {
      #expect(await load.site.refresh(token)?.hasPrefix("ok ") == true, "session \(session) lost its token")
      #expect(try load.site.state(of: grant) == CrashSite.GrantState(isRevoked: false, liveTokens: 1))
    }
    supervisor.cancel()
    await supervisor.value
  }

  /// Fills the disk with the file `filler`.
  private static func fill(_ folder: URL) throws {
    let path = folder.appending(path: "filler").path
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    let block = [UInt8](repeating: 0, count: 4_096)
    while fwrite(block, 1, block.count, file) == block.count, fflush(file) == 0 {}
  }

  private static func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(2)) }
  }
}
