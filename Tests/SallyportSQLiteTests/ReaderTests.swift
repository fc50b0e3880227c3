import GRDB
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportSQLite

@Suite("Reads run on connections of their own")
struct ReaderTests {
  @Test("A reader cannot write, trusts no schema, and is whole after a body that throws")
  func readOnly() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    #expect(throws: StoreError.self) {
      try store.readers.read { (db) throws(StoreError) in try db.run("DELETE FROM account") }
    }
    let schema = try store.readers.read { (db) throws(StoreError) in
      try storing { try Int.fetchOne(db, sql: "PRAGMA trusted_schema") }
    }
    #expect(schema == 0)
  }

  @Test("A body sees one state of the database, and needs no connection that another body holds")
  func oneState() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    let counts = try store.readers.read { (outer) throws(StoreError) in
      let before = try Self.count(outer)
      try storing { try store.pool.write { try $0.execute(sql: "INSERT INTO burned_interaction VALUES ('a', 1)") } }
      let inner = try store.readers.read { (db) throws(StoreError) in try Self.count(db) }
      return [before, try Self.count(outer), inner]
    }
    #expect(counts == [0, 0, 1])
  }

  private static func count(_ db: Database) throws(StoreError) -> Int? {
    try storing { try Int.fetchOne(db, sql: "SELECT count(*) FROM burned_interaction") }
  }
}
