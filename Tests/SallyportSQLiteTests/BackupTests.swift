import Foundation
import GRDB
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportSQLite

@Suite("Copying and checking a database that is in use")
struct BackupTests {
  private func withDatabase(_ body: (_ folder: String, SQLiteStore) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    try await body(directory.path, store)
    try store.close()
  }

  @Test("a copy is intact, readable only by its owner, and contains everything that was acknowledged before the copy began")
  func whileWriting() async throws {
    try await self.withDatabase { folder, store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        let (written, continuation) = AsyncStream.makeStream(of: Int.self)
        group.addTask {
          var count = 0
          while !Task.isCancelled {
            let (first, second) = ("\(count) a", "\(count) b")
            try await store.write { (tx) throws(StoreError) in
              _ = try tx.consumeInteraction(first, expires: .now())
              _ = try tx.consumeInteraction(second, expires: .now())
            }
            count += 1
            continuation.yield(count)
          }
        }
        var counts = written.makeAsyncIterator()
        for copy in 1...3 {
          let acknowledged = try #require(await counts.next())
          let target = "\(folder)/copy\(copy).sqlite"
          try SQLiteStore.copy("\(folder)/a.sqlite", to: target)
          #expect(try DatabaseCondition(ofDatabase: target, thoroughly: true) == .init(version: .current))
          // In SQLite, the table of consumed interactions still has its old name, `burned_interaction`.
          let (rows, journalMode) = try await DatabaseQueue(path: target).read { db in
            (
              try Int.fetchOne(db, sql: "SELECT count(*) FROM burned_interaction") ?? 0,
              try String.fetchOne(db, sql: "PRAGMA journal_mode")
            )
          }
          #expect(rows >= acknowledged * 2, "acknowledged rows are missing")
          #expect(rows.isMultiple(of: 2), "only half of a transaction was copied")
          #expect(journalMode == "delete", "the copy must be a single file without a write-ahead log")
          let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? NSNumber
          #expect(mode?.intValue == 0o600)
        }
        group.cancelAll()
      }
    }
  }

  @Test("a copy does not overwrite a file, and a failed copy leaves no file")
  func overwritesNothing() async throws {
    try await self.withDatabase { folder, _ in
      try Data("mine".utf8).write(to: URL(filePath: "\(folder)/b"))
      #expect(throws: StoreError.self) { try SQLiteStore.copy("\(folder)/a.sqlite", to: "\(folder)/b") }
      #expect(try String(contentsOfFile: "\(folder)/b", encoding: .utf8) == "mine")
      #expect(throws: StoreError.self) { try SQLiteStore.copy("\(folder)/missing", to: "\(folder)/c") }
      #expect(
        !FileManager.default.fileExists(atPath: "\(folder)/c") && !FileManager.default.fileExists(atPath: "\(folder)/missing"))
    }
  }

  @Test("a check reports the schema version and damage")
  func condition() async throws {
    try await self.withDatabase { folder, store in
      let path = "\(folder)/a.sqlite"
      #expect(try DatabaseCondition(ofDatabase: path, thoroughly: false) == .init(version: .current))
      // A consent whose account and client do not exist is damage.
      try SQLiteStore.copy(path, to: "\(folder)/orphan")
      let orphan = try DatabaseQueue(path: "\(folder)/orphan")
      try await orphan.writeWithoutTransaction { db in
        try db.execute(
          sql: "PRAGMA foreign_keys = OFF; INSERT INTO consent VALUES ('nobody', 'none', 'https://a/', '', 'openid', 0)")
      }
      #expect(try DatabaseCondition(ofDatabase: "\(folder)/orphan", thoroughly: false).damage.count == 1)
      let old = try DatabaseQueue(path: "\(folder)/old")
      try Schema.migrations.migrate(old, upTo: "2 sessions and grants")
      #expect(try DatabaseCondition(ofDatabase: "\(folder)/old", thoroughly: true).version == .older)
      _ = try await DatabaseQueue(path: "\(folder)/other").write { db in try db.execute(sql: "CREATE TABLE t (a)") }
      #expect(try DatabaseCondition(ofDatabase: "\(folder)/other", thoroughly: true).version == .foreign)
      try await store.pool.write { db in try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('1000 from the future')") }
      #expect(try DatabaseCondition(ofDatabase: path, thoroughly: true).version == .newer)
      // Damage a copy: overwrite the fourth page of the file with zeros.
      try SQLiteStore.copy(path, to: "\(folder)/damaged")
      let damaged = try FileHandle(forUpdating: URL(filePath: "\(folder)/damaged"))
      try damaged.seek(toOffset: 4_096 * 3)
      try damaged.write(contentsOf: Data(count: 4_096))
      try damaged.close()
      // The check either reports the damage or throws an error.
      let found = try? DatabaseCondition(ofDatabase: "\(folder)/damaged", thoroughly: true)
      #expect(found?.damage.isEmpty != true)
    }
  }

  @Test("restored grants end with the reason 'restored', and grants that had ended keep their reason")
  func ending() async throws {
    try await self.withDatabase { _, store in
      try await store.pool.write { try $0.execute(sql: SchemaTests.rows) }
      try await store.pool.write {
        try $0.execute(
          sql: """
            INSERT INTO browser_session VALUES (zeroblob(32), 's', 'a', 0, 0, 100, NULL, NULL, NULL, 'pwd', 0, NULL, NULL, NULL);
            INSERT INTO upstream_request VALUES (zeroblob(32), x'00', 100);
            """)
      }
      let ended = try await store.prepareRestored(
        AuditRecord(.databaseRestored, from: .command, at: Timestamp(milliseconds: 50)), revokingGrants: true)
      #expect(ended == (sessions: 1, grants: 2))
      let (active, revoked, session) = try await store.read { (tx) throws(StoreError) in
        (
          try tx.grant(GrantID(rawValue: "g")), try tx.grant(GrantID(rawValue: "r")),
          try tx.browserSession(Fingerprint(bytes: [UInt8](repeating: 0, count: 32)))
        )
      }
      #expect(active?.revocationReason == .restored && revoked?.revocationReason == .userRequest)
      #expect(session?.endedAt == Timestamp(milliseconds: 50))
      // Unfinished exchanges are removed too: stored successors of refresh tokens, pending device authorizations,
      // pushed requests, and sign-ins through upstreams.
      let left = try await store.pool.read { db in
        try String.fetchAll(
          db,
          sql: """
            SELECT 'successor' FROM refresh_token WHERE sealed_successor IS NOT NULL
            UNION SELECT 'device' FROM device_authorization WHERE consumed_at IS NULL
            UNION SELECT 'request' FROM pushed_request
            UNION SELECT 'upstream' FROM upstream_request
            """)
      }
      #expect(left.isEmpty, "\(left)")
    }
  }
}
