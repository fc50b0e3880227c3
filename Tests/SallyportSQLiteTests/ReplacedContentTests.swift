import Foundation
import GRDB
import SallyportProtocol
import SallyportServer
import Synchronization
import Testing

@testable import SallyportSQLite

@Suite("Replacing the content of a database that is in use")
struct ReplacedContentTests {
  /// Runs a test with a store that contains the rows "before" and "after", and with a copy that was made between the
  /// writes of these two rows and prepared for a restore.
  private func afterCopy(_ body: (_ folder: String, SQLiteStore) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/live.db")
    try await Self.note("before", in: store)
    try SQLiteStore.copy("\(directory.path)/live.db", to: "\(directory.path)/copy.db")
    let copy = try SQLiteStore(path: "\(directory.path)/copy.db")
    _ = try await copy.prepareRestored(AuditRecord(.databaseRestored, from: .command, at: .now()), revokingGrants: true)
    try copy.close()
    try await Self.note("after", in: store)
    try await body(directory.path, store)
    try store.close()
  }

  /// Replaces the content of `live.db` by the content of `copy.db`. Keeps the old content in `kept.db`.
  private static func replaceContent(in folder: String) throws {
    try SQLiteStore.replaceContent(of: "\(folder)/live.db", by: "\(folder)/copy.db") {
      try SQLiteStore.copy("\(folder)/live.db", to: "\(folder)/kept.db")
    }
  }

  /// Writes a row with this identifier: a consumed interaction. In SQLite, the table of these rows still has its old
  /// name, `burned_interaction`.
  private static func note(_ id: String, in store: SQLiteStore) async throws {
    let isNew = try await store.write { (tx) throws(StoreError) in try tx.consumeInteraction(id, expires: .now() + .seconds(600))
    }
    #expect(isNew)
  }

  private static func write(to store: SQLiteStore, recording acknowledged: Acknowledged) async throws {
    var number = 0
    while !Task.isCancelled {
      number += 1
      try await self.note("note \(number)", in: store)
      acknowledged.add("note \(number)")
    }
  }

  private static func read(_ store: SQLiteStore) async throws {
    while !Task.isCancelled {
      let version = try await store.read { (tx) throws(StoreError) in try tx.configurationVersion() }
      #expect(version > 0)
      await Task.yield()
    }
  }

  private static func notes(in path: String) async throws -> Set<String> {
    try await DatabaseQueue(path: path).read { db in
      Set(try String.fetchAll(db, sql: "SELECT id FROM burned_interaction"))
    }
  }

  @Test("open connections see the new content and a new configuration version")
  func seen() async throws {
    try await self.afterCopy { folder, store in
      let version = try await store.read { (tx) throws(StoreError) in try tx.configurationVersion() }
      try Self.replaceContent(in: folder)
      let (restored, events) = try await store.read { (tx) throws(StoreError) in
        (try tx.configurationVersion(), try tx.auditRecords(AuditQuery(limit: 10)).map(\.event))
      }
      // A restore sets the configuration version to the time in milliseconds, so that a running server cannot have seen
      // this version before.
      #expect(restored > version + 1_000 && events == [.databaseRestored])
      // The restored content contains "before", but not "after".
      let isNew = try await store.write { (tx) throws(StoreError) in
        let expires = Timestamp.now() + .seconds(600)
        return (try tx.consumeInteraction("before", expires: expires), try tx.consumeInteraction("after", expires: expires))
      }
      #expect(isNew == (false, true))
      #expect(try await Self.notes(in: "\(folder)/kept.db") == ["before", "after"])
      #expect(try DatabaseCondition(ofDatabase: "\(folder)/live.db", thoroughly: true) == .init(version: .current))
      #expect(try DatabaseCondition(ofDatabase: "\(folder)/kept.db", thoroughly: true) == .init(version: .current))
    }
  }

  @Test("every acknowledged write is in the kept copy of the old content or in the database, and reads never fail")
  func meanwhile() async throws {
    try await self.afterCopy { folder, store in
      let acknowledged = Acknowledged()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await Self.write(to: store, recording: acknowledged) }
        group.addTask { try await Self.read(store) }
        try await acknowledged.wait(for: 100)
        try Self.replaceContent(in: folder)
        try await acknowledged.wait(for: 100)
        group.cancelAll()
        try await group.waitForAll()
      }
      let (kept, live) = (try await Self.notes(in: "\(folder)/kept.db"), try await Self.notes(in: "\(folder)/live.db"))
      #expect(acknowledged.all.isSubset(of: kept.union(live)))
      #expect(kept.intersection(live) == ["before"], "only the write before the copy is in both files")
    }
  }

  @Test("if another writer holds the lock, or the old content cannot be copied, nothing changes")
  func refused() async throws {
    try await self.afterCopy { folder, store in
      let database = DatabaseFile(path: "\(folder)/live.db", lockTimeout: .milliseconds(50))
      let copy = DatabaseFile(path: "\(folder)/copy.db")
      try await store.pool.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN IMMEDIATE")
        let error = #expect(throws: StoreError.self) {
          try database.replaceContent(by: copy) { Issue.record("copied while another writer holds the lock") }
        }
        #expect("\(String(describing: error))".contains("locked"))
        try db.execute(sql: "ROLLBACK")
      }
      struct CannotKeep: Error {}
      #expect(throws: CannotKeep.self) { try database.replaceContent(by: copy) { throw CannotKeep() } }
      #expect(try await Self.notes(in: "\(folder)/live.db") == ["before", "after"])
      try await Self.note("still", in: store)
    }
  }
}

/// The writes that were acknowledged.
private final class Acknowledged: Sendable {
  private let notes = Mutex<Set<String>>([])

  var all: Set<String> { self.notes.withLock { $0 } }

  func add(_ note: String) {
    self.notes.withLock { _ = $0.insert(note) }
  }

  /// Waits until this many more writes have been acknowledged.
  func wait(for more: Int) async throws {
    let count = self.all.count
    while self.all.count < count + more { try await Task.sleep(for: .milliseconds(1)) }
  }
}
