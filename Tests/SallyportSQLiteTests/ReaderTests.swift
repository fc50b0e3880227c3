import GRDB
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportSQLite

@Suite("Reads")
struct ReaderTests {
  @Test("a reader cannot write, does not trust the schema, and works after a body that throws")
  func readOnly() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    #expect(throws: StoreError.self) {
      try store.readers.readBlocking { (db) throws(StoreError) in try db.run("DELETE FROM account") }
    }
    let trustedSchema = try store.readers.readBlocking { (db) throws(StoreError) in
      try convertingErrors { try Int.fetchOne(db, sql: "PRAGMA trusted_schema") }
    }
    #expect(trustedSchema == 0)
  }

  @Test("a body sees one state of the database, and nested reads use another connection")
  func oneState() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    let counts = try store.readers.readBlocking { (outer) throws(StoreError) in
      let before = try Self.count(outer)
      try convertingErrors { try store.pool.write { try $0.execute(sql: "INSERT INTO burned_interaction VALUES ('a', 1)") } }
      let inner = try store.readers.readBlocking { (db) throws(StoreError) in try Self.count(db) }
      return [before, try Self.count(outer), inner]
    }
    #expect(counts == [0, 0, 1])
  }

  @Test("a read of a locked database waits on another thread, so the caller's event loop continues")
  func lockedDatabase() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    let store = try SQLiteStore(path: path)
    try await store.pool.write { try $0.execute(sql: "INSERT INTO burned_interaction VALUES ('a', 1)") }
    for hasIdleConnection in [false, true] {
      if hasIdleConnection { _ = try store.readers.readBlocking { (db) throws(StoreError) in try Self.count(db) } }
      let lock = try RecoveryLock(database: path)
      let loop = EventLoop()
      let read = Task(executorPreference: loop) { () throws -> Int? in
        try await store.readers.read { (db) throws(StoreError) in try Self.count(db) }
      }
      // Both tasks run on the thread of `loop`. If the read blocked this thread, the lock would not be released before
      // the read gives up.
      let release = Task(executorPreference: loop) { try lock.release() }
      #expect(try await read.value == 1)
      try await release.value
    }
  }

  @Test("a read of a database that stays locked fails after the time limit")
  func permanentlyLockedDatabase() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    let store = try SQLiteStore(path: path, lockTimeout: .milliseconds(50))
    _ = try store.readers.readBlocking { (db) throws(StoreError) in try Self.count(db) }
    let lock = try RecoveryLock(database: path)
    await #expect(throws: StoreError.self) {
      try await store.readers.read { (db) throws(StoreError) in try Self.count(db) }
    }
    try lock.release()
    #expect(try await store.readers.read { (db) throws(StoreError) in try Self.count(db) } == 0)
  }

  /// Counts the consumed interactions. In SQLite, their table still has its old name, `burned_interaction`.
  private static func count(_ db: Database) throws(StoreError) -> Int? {
    try convertingErrors { try Int.fetchOne(db, sql: "SELECT count(*) FROM burned_interaction") }
  }
}
