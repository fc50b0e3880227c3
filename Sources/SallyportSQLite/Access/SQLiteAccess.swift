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
  /// The one row that `sql` finds, if it finds one.
  func row<Value>(
    _ sql: String, _ arguments: [(any StatementArgument)?] = [], _ read: (ResultRow) throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    var statement = try RunningStatement(sql, arguments, on: self.db)
    guard let row = try statement.next() else { return nil }
    return try read(row)
  }

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
  /// - Returns: how many rows it inserted, changed or deleted itself (not by triggers or cascades).
  @discardableResult
  func change(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws(StoreError) -> Int {
    var statement = try RunningStatement(sql, arguments, on: self.db)
    _ = try statement.next()
    return self.db.changesCount
  }
}
