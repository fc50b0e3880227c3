import SallyportServer

/// The database as seen by the body of ``PostgresStore/read(_:)`` or ``PostgresStore/write(_:)``. It is valid only
/// inside that body.
///
/// `Mode` decides at compile time whether the methods that write are available.
struct PostgresAccess<Mode> {
  let attempt: TransactionAttempt
}

/// The mode of ``PostgresSnapshot``.
enum PostgresReading {}
/// The mode of ``PostgresTransaction``.
enum PostgresWriting {}

/// One consistent snapshot of the database.
typealias PostgresSnapshot = PostgresAccess<PostgresReading>
/// One transaction.
typealias PostgresTransaction = PostgresAccess<PostgresWriting>

extension PostgresAccess: StoreSnapshot {}
extension PostgresAccess: StoreTransaction where Mode == PostgresWriting {}

extension PostgresAccess {
  /// Returns the first row that `sql` finds, converted by `read`; nil if there is none.
  func row<Value>(
    _ sql: String, _ arguments: [(any StatementArgument)?] = [], _ read: (ResultRow) throws(StoreError) -> Value
  ) throws(StoreError) -> Value? {
    let result = try self.attempt.read(sql, arguments)
    return result.count == 0 ? nil : try read(ResultRow(result, row: 0))
  }

  func rows<Value>(
    _ sql: String, _ arguments: [(any StatementArgument)?] = [], _ read: (ResultRow) throws(StoreError) -> Value
  ) throws(StoreError) -> [Value] {
    try self.attempt.read(sql, arguments).rows(read)
  }
}

extension PostgresTransaction {
  /// Runs a statement whose result is not needed. It is usually sent together with a later statement or the COMMIT.
  func queue(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws(StoreError) {
    try self.attempt.queue(sql, arguments)
  }

  /// Runs a statement that usually changes one row, and never more than one.
  /// - Returns: Whether it changed one row. At first, the result is assumed to be true. If an assumption was wrong, the
  ///   transaction runs again and waits for each result (``TransactionAttempt/Plan``).
  func expectChange(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws(StoreError) -> Bool {
    try self.attempt.expectChange(sql, arguments)
  }

  /// Runs a query that usually finds one row, and never more than one.
  /// - Returns: Whether it found one row. The result is assumed as in ``expectChange(_:_:)``.
  func expectRow(_ sql: String, _ arguments: [(any StatementArgument)?]) throws(StoreError) -> Bool {
    try self.attempt.expectRow(sql, arguments)
  }

  /// Runs a statement and waits for its result.
  /// - Returns: The number of rows that the statement itself inserted, changed, or deleted.
  func change(_ sql: String, _ arguments: [(any StatementArgument)?] = []) throws(StoreError) -> Int {
    try self.attempt.write(sql, arguments).changes
  }

  /// Runs a statement that changes rows and returns them.
  func returning<Value>(
    _ sql: String, _ arguments: [(any StatementArgument)?] = [], _ read: (ResultRow) throws(StoreError) -> Value
  ) throws(StoreError) -> [Value] {
    try self.attempt.write(sql, arguments).rows(read)
  }
}

extension QueryResult {
  fileprivate func rows<Value>(_ read: (ResultRow) throws(StoreError) -> Value) throws(StoreError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(self.count)
    for row in 0..<self.count { values.append(try read(ResultRow(self, row: row))) }
    return values
  }
}
