import GRDB
import GRDBSQLite
import SallyportServer

/// A statement of a connection from its arguments to its end. It is prepared once for each connection.
///
/// GRDB keeps the connection and what it has prepared; the arguments go to SQLite and the columns come from it without passing through GRDB's
/// values, which would cost more than SQLite's own steps for a look-up of one row (see `docs/performance.md`).
struct RunningStatement: ~Copyable {
  private let handle: OpaquePointer

  /// - Throws: ``StoreError/unavailable(reason:)`` where the text or the number of arguments is wrong.
  init(_ sql: String, _ arguments: [(any StatementArgument)?] = [], on db: Database) throws(StoreError) {
    let handle = try storing { try db.cachedStatement(sql: sql).sqliteStatement }
    guard Int(sqlite3_bind_parameter_count(handle)) == arguments.count else {
      throw .unavailable(reason: "a statement with \(arguments.count) arguments expects another number")
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
    // The code repeats what the last step has told.
    sqlite3_reset(self.handle)
  }

  /// The next row, which lives until the next call.
  mutating func next() throws(StoreError) -> ResultRow? {
    switch sqlite3_step(self.handle) {
    case SQLITE_ROW: return ResultRow(statement: self.handle)
    case SQLITE_DONE: return nil
    default: throw StoreError(failed: self.handle)
    }
  }
}

extension Database {
  /// Runs a statement that has no arguments and gives no rows.
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
