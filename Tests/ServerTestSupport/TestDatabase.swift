package import Foundation
import GRDB
package import PostgresTestSupport
import SallyportPostgres
import SallyportSQLite
package import SallyportServer

/// The database of one test: a SQLite file or a PostgreSQL database. Several stores can open it, as several processes
/// would.
package struct TestDatabase: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case sqlite, postgres

    /// The kind of database for tests that do not choose one.
    /// `SALLYPORT_TEST_DATABASE=postgres swift test --filter NAME` runs these tests with PostgreSQL.
    package static let standard =
      ProcessInfo.processInfo.environment["SALLYPORT_TEST_DATABASE"].flatMap(Kind.init(rawValue:)) ?? .sqlite
  }

  package let kind: Kind
  /// The path of the SQLite file, or the URL of the PostgreSQL database. Test programs get it as an argument.
  package let location: String
  /// Nil for SQLite.
  private let cluster: PostgresCluster?
  /// The name of the PostgreSQL database.
  private let name: String

  /// - Parameters:
  ///   - folder: The folder to create for a SQLite file; it must not exist yet. PostgreSQL does not use it.
  ///   - cluster: The PostgreSQL server; nil for the server that all tests of this process share.
  package init(_ kind: Kind, in folder: URL, on cluster: PostgresCluster? = nil) throws {
    self.kind = kind
    self.name = "test_\(UInt64.random(in: 0 ... .max))"
    switch kind {
    case .sqlite:
      self.cluster = nil
      let file = folder.appending(path: "store.sqlite")
      self.location = file.path
      let template = try Self.template.get()
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try template.write(to: file)
    case .postgres:
      let cluster = try cluster ?? .shared()
      self.cluster = cluster
      try cluster.makeDatabase(self.name)
      self.location = cluster.url(self.name)
    }
  }

  /// The contents of a new SQLite database. Tests begin with a copy, because running all migrations takes much longer.
  private static let template = Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString)")
    let file = folder.appending(path: "template.sqlite")
    defer { try? FileManager.default.removeItem(at: folder) }
    try SQLiteStore(path: file.path).close()
    return try Data(contentsOf: file)
  }

  /// Opens a store, as another process would.
  package func open() throws -> any Store {
    try Self.open(self.location)
  }

  /// Opens a store of the database with this path or URL.
  package static func open(_ location: String) throws -> any Store {
    guard PostgresAddress.isPostgresURL(location) else { return try SQLiteStore(path: location) }
    var limits = PostgresStore.Limits()
    // Many tests run at once, so requests may take longer than a server permits.
    limits.connections = 4
    limits.requestTimeout = .seconds(60)
    limits.connectTimeout = .seconds(60)
    return PostgresStore(try PostgresAddress(location), limits: limits)
  }

  package static func close(_ store: any Store) throws {
    try (store as? SQLiteStore)?.close()
    (store as? PostgresStore)?.close()
  }

  /// Runs SQL. A SQLite database is opened only for reading.
  /// - Returns: The rows. Each column is text.
  package func query(_ sql: String) throws -> [[String]] {
    guard let cluster else {
      var configuration = Configuration()
      configuration.readonly = true
      return try DatabaseQueue(path: self.location, configuration: configuration).read { db in
        try Row.fetchAll(db, sql: sql).map { row in row.map { column in Self.text(column.1) } }
      }
    }
    let output = try cluster.query("SET search_path = sallyport; \(sql)", in: self.name)
    return output.split(separator: "\n").map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
  }

  private static func text(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: ""
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): text
    case .blob(let data): String(decoding: data, as: UTF8.self)
    }
  }

  /// The names of all tables.
  package func tables() throws -> [String] {
    let sql =
      switch self.kind {
      case .sqlite: "SELECT name FROM sqlite_master WHERE type = 'table'"
      case .postgres: "SELECT tablename FROM pg_tables WHERE schemaname = 'sallyport'"
      }
    return try self.query(sql).flatMap(\.self)
  }

  /// Whether the tables are undamaged and agree with their indexes. In SQLite, all foreign keys must also refer to
  /// existing rows.
  package func isIntact() throws -> Bool {
    switch self.kind {
    case .sqlite:
      return try self.query("PRAGMA integrity_check") == [["ok"]] && self.query("PRAGMA foreign_key_check").isEmpty
    case .postgres:
      let damage = try self.query(
        """
        CREATE EXTENSION IF NOT EXISTS amcheck;
        SELECT count(bt_index_check(indexrelid, true)::text) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
          WHERE relnamespace = 'sallyport'::regnamespace;
        SELECT damage.* FROM pg_class, verify_heapam(pg_class.oid) damage
          WHERE relnamespace = 'sallyport'::regnamespace AND relkind = 'r';
        """)
      // The first SELECT returns one row, or fails if an index is damaged. The second one returns the damage of tables.
      return damage.count == 1
    }
  }
}
