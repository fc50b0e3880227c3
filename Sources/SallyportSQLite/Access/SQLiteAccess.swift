import GRDB
public import SallyportServer

/// The database as seen by the body of ``SQLiteStore/read(_:)`` or ``SQLiteStore/write(_:)``. It is valid only inside
/// that body.
///
/// `Mode` decides at compile time whether the methods that write are available.
public struct SQLiteAccess<Mode> {
  let db: Database
}

/// The mode of ``SQLiteSnapshot``.
public enum SQLiteReading {}
/// The mode of ``SQLiteTransaction``.
public enum SQLiteWriting {}

/// One consistent snapshot of the database.
public typealias SQLiteSnapshot = SQLiteAccess<SQLiteReading>
/// The transaction of one body. Several bodies can share a transaction of the database, which is committed once for all
/// of them.
public typealias SQLiteTransaction = SQLiteAccess<SQLiteWriting>

extension SQLiteAccess: StoreSnapshot {}
extension SQLiteAccess: StoreTransaction where Mode == SQLiteWriting {}

extension SQLiteAccess {
  /// Returns the first row that `sql` finds, or nil if there is none.
  func row<Value>(
    _ sql: String, _ arguments: [(any StatementArgument)?] = [], _ read: (ResultRow) throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    var statement = try RunningStatement(sql, arguments, on: self.db)
    guard let row = try statement.next() else { return nil }
    return try read(row)
  }

  /// Returns all rows that `sql` finds.
  func rows<Value>(
    _ sql: String, _ arguments: [(any StatementArgument)?] = [], _ read: (ResultRow) throws(StoreError) -> Value
  ) throws(StoreError) -> [Value] {
    var statement = try RunningStatement(sql, arguments, on: self.db)
    var values: [Value] = []
    while let row = try statement.next() { values.append(try read(row)) }
    return values
  }
}

extension SQLiteTransaction {
  /// Runs one statement.
  /// - Returns: The number of rows that the statement itself inserted, changed, or deleted. Rows that triggers or
  ///   cascades changed do not count.
  @discardableResult
  func change(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws(StoreError) -> Int {
    var statement = try RunningStatement(sql, arguments, on: self.db)
    _ = try statement.next()
    return self.db.changesCount
  }
}
