import GRDB
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportSQLite

@Suite("Damaged rows")
struct DamagedRowTests {
  typealias Reading = @Sendable (ResultRow) throws(StoreError) -> Void

  @Test(
    "reading a value of the wrong type, or a fingerprint of the wrong length, throws an error that names the column",
    arguments: [
      ("NULL", { @Sendable (row) throws(StoreError) in _ = try row[0] as String }),
      ("1", { @Sendable (row) throws(StoreError) in _ = try row[0] as String }),
      ("1", { @Sendable (row) throws(StoreError) in _ = try row[0] as String? }),
      ("NULL", { @Sendable (row) throws(StoreError) in _ = try row[0] as Int64 }),
      ("'text'", { @Sendable (row) throws(StoreError) in _ = try row[0] as Int64? }),
      ("1.5", { @Sendable (row) throws(StoreError) in _ = try row[0] as Int }),
      ("NULL", { @Sendable (row) throws(StoreError) in _ = try row[0] as Bool }),
      ("'now'", { @Sendable (row) throws(StoreError) in _ = try row.time(0) }),
      ("'now'", { @Sendable (row) throws(StoreError) in _ = try row.optionalTime(0) }),
      ("'text'", { @Sendable (row) throws(StoreError) in _ = try row.bytes(0) }),
      ("1", { @Sendable (row) throws(StoreError) in _ = try row.optionalBytes(0) }),
      ("NULL", { @Sendable (row) throws(StoreError) in _ = try row.fingerprint(0) }),
      ("x'00'", { @Sendable (row) throws(StoreError) in _ = try row.fingerprint(0) }),
      ("x'00'", { @Sendable (row) throws(StoreError) in _ = try row.optionalFingerprint(0) }),
      ("NULL", { @Sendable (row) throws(StoreError) in _ = try row.scope(0) }),
      ("NULL", { @Sendable (row) throws(StoreError) in _ = try row.words(0) }),
    ] as [(String, Reading)])
  func wrongType(value: String, read: Reading) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    let error = #expect(throws: StoreError.self) {
      _ = try store.readers.readBlocking { (db) throws(StoreError) in
        try SQLiteSnapshot(db: db).row("SELECT \(value) AS expires_at", [], read)
      }
    }
    guard case .unavailable(let reason) = error else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
    #expect(reason.contains("\"expires_at\""))
  }

  @Test(
    "in the audit trail, an unknown reason of a newer version is read as nil, and a record of an unknown event is left out")
  func unknownAuditValues() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    let store = try SQLiteStore(path: path)
    try await DatabaseQueue(path: path).write { db in
      try db.execute(
        sql: """
          INSERT INTO audit VALUES ('00000000001-a', 1, 'signed-in', 'new', 'request', NULL, NULL, 'acct-a', NULL, NULL, NULL, NULL, 0);
          INSERT INTO audit VALUES ('00000000002-a', 2, 'new', NULL, 'request', NULL, NULL, 'acct-a', NULL, NULL, NULL, NULL, 0);
          """)
    }
    var query = AuditQuery(limit: 9)
    query.account = AccountID(rawValue: "acct-a")
    let records = try await store.read { [query] (tx) throws(StoreError) in try tx.auditRecords(query) }
    #expect(records.map(\.event) == [.signedIn] && records.first?.reason == nil)
  }

  @Test("NULL is valid for optional values")
  func null() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    try store.readers.readBlocking { (db) throws(StoreError) in
      _ = try SQLiteSnapshot(db: db).row("SELECT NULL") { (row) throws(StoreError) in
        #expect(try row[0] as String? == nil)
        #expect(try row[0] as Int64? == nil)
        #expect(try row.optionalTime(0) == nil)
        #expect(try row.optionalBytes(0) == nil)
        #expect(try row.optionalFingerprint(0) == nil)
        #expect(try row.optionalScope(0) == nil)
      }
    }
  }
}
