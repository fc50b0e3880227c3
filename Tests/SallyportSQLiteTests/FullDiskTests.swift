import Foundation
import GRDB
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportSQLite

@Suite("Full disk")
struct FullDiskTests {
  /// Writes at most `rounds` rows, and stops when a write fails. Each row is large enough to need a page of its own.
  /// - Returns: The identifiers of the acknowledged rows, and the error of the failed write.
  private static func fill(_ store: SQLiteStore, _ prefix: String, rounds: Int = 10_000) async throws -> (
    Set<String>, StoreError?
  ) {
    var written: Set<String> = []
    for index in 0..<rounds {
      let id = "\(prefix)-\(index)-" + String(repeating: "x", count: 3_000)
      do throws(StoreError) {
        _ = try await store.write { (tx) throws(StoreError) in try tx.consumeInteraction(id, expires: .now()) }
        written.insert(id)
      } catch {
        return (written, error)
      }
    }
    return (written, nil)
  }

  /// Fills the database, compares its rows with the acknowledged rows, makes room, and writes again.
  private static func check(_ store: SQLiteStore, makeRoom: () async throws -> Void) async throws {
    let (written, error) = try await self.fill(store, "first")
    guard case .unavailable(let reason) = error else {
      Issue.record("unexpected \(String(describing: error))")
      return
    }
    #expect(reason.contains("full") || reason.contains("I/O"), "\(reason)")
    // The table `burned_interaction` contains the consumed interactions.
    let found = try await store.pool.read { db in
      #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
      return try String.fetchSet(db, sql: "SELECT id FROM burned_interaction")
    }
    #expect(found == written)
    try await makeRoom()
    let (later, laterError) = try await self.fill(store, "second", rounds: 10)
    #expect(laterError == nil)
    let all = try await store.pool.read { db in try String.fetchSet(db, sql: "SELECT id FROM burned_interaction") }
    #expect(all == written.union(later))
  }

  @Test("if the database cannot grow, writes fail, exactly the acknowledged rows are kept, and writes succeed once there is room")
  func pageLimit() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    try await store.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA max_page_count = 200") }
    try await Self.check(store) {
      try await store.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA max_page_count = 100000") }
    }
  }

  @Test(
    "if the file system is full, exactly the acknowledged rows are kept, and writes succeed once there is room",
    .enabled(if: getuid() == 0, "mounting requires root"))
  func fileSystem() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let mounted = mount("tmpfs", directory.path, "tmpfs", 0, "size=3m")
    try #require(mounted == 0, "cannot mount a file system of 3 MiB: \(String(cString: strerror(errno)))")
    defer { umount2(directory.path, Int32(MNT_DETACH)) }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    try await Self.check(store) {
      #expect(mount("tmpfs", directory.path, "tmpfs", UInt(MS_REMOUNT), "size=64m") == 0)
    }
    try store.close()
  }
}
