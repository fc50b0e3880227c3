import SallyportPostgres
import SallyportSQLite
import SallyportServer

/// Opens the store that a command-line argument of a benchmark names.
enum BenchmarkStore {
  /// - Parameter database: The path of a SQLite database, or the URL of a PostgreSQL database.
  static func open(_ database: String) throws -> any Store {
    guard self.isPostgres(database) else { return try SQLiteStore(path: database) }
    var limits = PostgresStore.Limits()
    // The default limit is too short for `Filling`, which writes thousands of rows in one transaction.
    limits.requestTimeout = .seconds(60)
    return PostgresStore(try PostgresAddress(database), limits: limits)
  }

  static func isPostgres(_ database: String) -> Bool { database.hasPrefix("postgres") }
}
