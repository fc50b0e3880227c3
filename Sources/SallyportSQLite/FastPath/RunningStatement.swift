import GRDB
import GRDBSQLite
import SallyportServer

/// One execution of a prepared statement, from binding its arguments to its reset. Each connection prepares a statement
/// once and reuses it.
///
/// GRDB manages the connection and the prepared statements. Arguments and columns are exchanged with SQLite directly,
/// because conversion to GRDB's values would take longer than looking up a single row. See
/// docs/decisions/0038-direct-sqlite-statements.md.
struct RunningStatement: ~Copyable {
  private let handle: OpaquePointer

  /// - Throws: ``StoreError/unavailable(reason:)`` if the SQL or the number of arguments is wrong.
  init(_ sql: String, _ arguments: [(any StatementArgument)?] = [], on db: Database) throws(StoreError) {
    let handle = try convertingErrors { try db.cachedStatement(sql: sql).sqliteStatement }
    guard Int(sqlite3_bind_parameter_count(handle)) == arguments.count else {
      throw .unavailable(reason: "a statement was given \(arguments.count) arguments, but has a different number of parameters")
    }
    var position: Int32 = 0
    for argument in arguments {
      position += 1
      let code = argument.map { $0.bind(to: handle, at: position) } ?? sqlite3_bind_null(handle, position)
      guard code == SQLITE_OK else { throw StoreError(failed: handle) }
    }
    self.handle = handle
  }

  deinit {
    // The result can be ignored, because `sqlite3_reset` only returns the error of the last `sqlite3_step` again.
    sqlite3_reset(self.handle)
  }

  /// Returns the next row, which is valid until the next call to this function; nil if there are no more rows.
  mutating func next() throws(StoreError) -> ResultRow? {
    switch sqlite3_step(self.handle) {
    case SQLITE_ROW: return ResultRow(statement: self.handle)
    case SQLITE_DONE: return nil
    default: throw StoreError(failed: self.handle)
    }
  }
}

extension Database {
  /// Runs a statement that has no arguments and returns no rows.
  func run(_ sql: String) throws(StoreError) {
    var statement = try RunningStatement(sql, on: self)
    _ = try statement.next()
  }
}

extension StoreError {
  fileprivate init(failed statement: OpaquePointer) {
    let connection = sqlite3_db_handle(statement)
    self.init(
      DatabaseError(
        resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
        message: sqlite3_errmsg(connection).map { String(cString: $0) }))
  }
}
