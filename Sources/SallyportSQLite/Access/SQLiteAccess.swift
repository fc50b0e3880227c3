import GRDB
public import SallyportServer

/// What a body of ``SQLiteStore/read(_:)`` or ``SQLiteStore/write(_:)`` sees of the database, valid only inside of it.
///
/// `Mode` decides at compile time whether there are methods that write.
public struct SQLiteAccess<Mode> {
  let db: Database
}

/// The mode of ``SQLiteSnapshot``.
public enum SQLiteReading {}
/// The mode of ``SQLiteTransaction``.
public enum SQLiteWriting {}

/// One consistent state of the database, read from the write-ahead log's snapshot.
public typealias SQLiteSnapshot = SQLiteAccess<SQLiteReading>
/// One transaction, or one body's part of a transaction that several share.
public typealias SQLiteTransaction = SQLiteAccess<SQLiteWriting>

extension SQLiteAccess: StoreSnapshot {}
extension SQLiteAccess: StoreTransaction where Mode == SQLiteWriting {}

extension SQLiteAccess {
  /// The one row that `sql` finds, if it finds one. `read` sees the statement's own row, which nobody copies.
  func row<Value>(
    _ sql: String, _ arguments: StatementArguments = [], _ read: (Row) throws -> Value
  ) throws(StoreError) -> Value? {
    try storing {
      let rows = try Row.fetchCursor(self.db.cachedStatement(sql: sql), arguments: arguments)
      // The cursor ends the statement, and with it the row.
      return try withExtendedLifetime(rows) { try rows.next().map(read) }
    }
  }

  func rows<Value>(
    _ sql: String, _ arguments: StatementArguments = [], _ read: (Row) throws -> Value
  ) throws(StoreError) -> [Value] {
    try storing {
      let rows = try Row.fetchCursor(self.db.cachedStatement(sql: sql), arguments: arguments)
      var values: [Value] = []
      while let row = try rows.next() { values.append(try read(row)) }
      return values
    }
  }
}

extension SQLiteTransaction {
  /// Runs one statement.
  /// - Returns: how many rows it inserted, changed or deleted itself (not by triggers or cascades).
  @discardableResult
  func change(_ sql: String, _ arguments: StatementArguments = []) throws(StoreError) -> Int {
    try storing {
      try self.db.cachedStatement(sql: sql).execute(arguments: arguments)
      return self.db.changesCount
    }
  }
}
