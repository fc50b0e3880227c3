import Foundation
import Testing

/// Server processes that kill themselves between commit and response, or are killed at any moment.
@Suite("Crashes under load", .serialized, .timeLimit(.minutes(30)))
struct CrashTests {
  /// The number of killed processes. `SALLYPORT_KILL_ROUNDS=100 swift test --filter CrashTests` runs a longer test.
  private static let rounds = ProcessInfo.processInfo.environment["SALLYPORT_KILL_ROUNDS"].flatMap { Int($0) } ?? 5

  @Test(
    "S-22, S-23: no acknowledged token is lost, no code is redeemed twice, and no grant has two valid refresh tokens",
    arguments: [1, 2])
  func kills(processes: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await Self.run(in: folder, processes: processes) { _ in }
  }

  @Test(
    "S-22, S-23: the same holds while the disk is full for a part of each round",
    .enabled(if: getuid() == 0, "mounting requires root"))
  func fullDisk() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    guard mount("tmpfs", folder.path, "tmpfs", 0, "size=64m") == 0 else { return }
    defer { umount2(folder.path, Int32(MNT_DETACH)) }
    let visitors = try await Self.run(in: folder, processes: 2) { visitors in
      let before = visitors.ledger.current.refusedForRoom
      try Self.fill(folder)
      try await Self.until { visitors.ledger.current.refusedForRoom > before + 5 }
      visitors.site.killOne()
      try FileManager.default.removeItem(at: folder.appending(path: "filler"))
    }
    #expect(visitors.ledger.current.refusedForRoom > 0)
  }

  /// - Parameter trouble: Another fault, injected in each round after a process was killed.
  @discardableResult
  private static func run(
    in folder: URL, processes: Int, trouble: @Sendable (CrashVisitors) async throws -> Void
  ) async throws -> CrashVisitors {
    let visitors = CrashVisitors(site: try await CrashSite(in: folder, processes: processes))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<processes { group.addTask { await visitors.site.supervise(index) } }
      for session in 0..<6 { group.addTask { try await visitors.keepRefreshing(session) } }
      for _ in 0..<2 { group.addTask { try await visitors.keepRedeeming() } }
      for _ in 0..<Self.rounds {
        let before = visitors.ledger.current.acknowledged
        try await Self.until { visitors.ledger.current.acknowledged > before + 60 || !visitors.ledger.current.faults.isEmpty }
        visitors.site.killOne()
        try await trouble(visitors)
      }
      try await Self.until { visitors.ledger.current.sessions.count == 6 }
      group.cancelAll()
      try await group.waitForAll()
    }
    try await Self.check(visitors, processes)
    return visitors
  }

  private static func check(_ visitors: CrashVisitors, _ processes: Int) async throws {
    let ledger = visitors.ledger.current
    #expect(ledger.faults.isEmpty, "\(ledger.faults)")
    #expect(ledger.died > 0 && ledger.replayed.count > 5, "too few requests, or no process died: \(ledger)")
    #expect(try await visitors.site.isIntact())
    for grant in ledger.replayed {
      #expect(try await visitors.site.state(of: grant)?.isRevoked == true, "a replayed code left a valid grant")
    }
    let last = Task { await visitors.site.supervise(0) }
    for (session, (grant, token)) in ledger.sessions {
      #expect(await visitors.site.refresh(token)?.hasPrefix("ok ") == true, "session \(session) lost its token")
      #expect(try await visitors.site.state(of: grant) == CrashSite.GrantState(isRevoked: false, liveTokens: 1))
    }
    last.cancel()
    await last.value
  }

  /// Fills the disk.
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
