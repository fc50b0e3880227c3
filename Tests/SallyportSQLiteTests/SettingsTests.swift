import Foundation
import GRDB
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportSQLite

@Suite("Settings of the database")
struct SettingsTests {
  @Test("the writer runs in WAL mode with synchronous=FULL and foreign keys; every table is strict")
  func settings() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    let settings = try await store.pool.writeWithoutTransaction { db in
      [
        try String.fetchOne(db, sql: "PRAGMA journal_mode"), try String.fetchOne(db, sql: "PRAGMA synchronous"),
        try String.fetchOne(db, sql: "PRAGMA foreign_keys"), try String.fetchOne(db, sql: "PRAGMA trusted_schema"),
      ]
    }
    // `synchronous` 2 is FULL. `trusted_schema` is off.
    #expect(settings == ["wal", "2", "1", "0"])
    let notStrict = try await store.pool.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict
          AND name NOT LIKE 'sqlite%' AND name <> 'grdb_migrations'
          """)
    }
    #expect(notStrict.isEmpty)
  }

  @Test("a lock file that is locked cannot be locked again until it is released, and the error contains its path")
  func lockedFile() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite-lock"
    let lock = try FileLock(path: path)
    let error = #expect(throws: StoreError.self) { try FileLock(path: path, limit: .zero) }
    guard case .unavailable(let reason) = error else {
      Issue.record("\(error as Any) is not StoreError.unavailable")
      return
    }
    #expect(reason.contains(path))
    lock.release()
    try FileLock(path: path, limit: .zero).release()
  }

  @Test("the connection for checkpoints and restores uses synchronous=FULL and does not trust the schema, like the writer")
  func secondWriter() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = DatabaseFile(path: "\(directory.path)/a.sqlite")
    let pool = try file.open()
    let connection = try file.openWriter()
    let settings = try connection.inDatabase { db in
      [try Int.fetchOne(db, sql: "PRAGMA synchronous"), try Int.fetchOne(db, sql: "PRAGMA trusted_schema")]
    }
    #expect(settings == [2, 0])
    try connection.close()
    try pool.close()
  }

  @Test("only the owner can access the files and a new directory, even if the database file was accessible to others")
  func modes() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/data/a.sqlite"
    let mask = umask(0)
    defer { umask(mask) }
    for round in 1...2 {
      let store = try SQLiteStore(path: path)
      _ = try await store.write { (tx) throws(StoreError) in try tx.consumeInteraction("\(round)", expires: .now()) }
      for suffix in ["", "-wal", "-shm", "-lock"] {
        #expect(try self.mode(path + suffix) == 0o600, "\(suffix), round \(round)")
      }
      #expect(try self.mode("\(directory.path)/data") == 0o700)
      try store.close()
      try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    }
  }

  private func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber).intValue
  }

  @Test("a database of a newer version is rejected, and the error names the reason")
  func newerVersion() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    let store = try SQLiteStore(path: path)
    try await store.pool.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('1000 from the future')") }
    try store.close()
    let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
    #expect(
      error == .unusable(reason: "the database was written by a newer version of Sallyport; use that version"))
  }

  @Test(
    "a file that is not a database is rejected and not overwritten",
    arguments: ["this is not a database, only a text that is somewhat longer than a header"])
  func foreignFile(content: String) throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    try content.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try Self.unusable(path))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
  }

  /// Whether opening a database fails with a permanent error instead of a temporary one.
  private static func unusable(_ path: String) throws -> Bool {
    let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
    guard case .unusable = error else { return false }
    return true
  }

  @Test("a database that cannot be migrated stays unchanged and is unusable; a locked database is unavailable")
  func notMigratable() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    // This setting allows the transaction below to stay open after its closure returns.
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try other.inDatabase { db in try db.execute(sql: "CREATE TABLE account (mine TEXT)") }
    #expect(try Self.unusable(path))
    try other.inDatabase { db in
      #expect(try db.columns(in: "account").map(\.name) == ["mine"])
      try db.execute(sql: "DROP TABLE account; BEGIN EXCLUSIVE")
    }
    let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path, lockTimeout: .milliseconds(20)) }
    guard case .unavailable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try other.inDatabase { db in try db.execute(sql: "ROLLBACK") }
    try other.close()
  }

  @Test("a closed store throws errors and does not stop the process")
  func closed() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    try store.close()
    await #expect(throws: StoreError.self) {
      try await store.write { (tx) throws(StoreError) in try tx.consumeInteraction("a", expires: .now()) }
    }
    await #expect(throws: StoreError.self) {
      try await store.read { (tx) throws(StoreError) in try tx.accounts(after: nil, limit: 1_000) }
    }
  }
}
