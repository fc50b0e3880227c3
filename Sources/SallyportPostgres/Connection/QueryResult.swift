import CLibPQ

/// The response to one statement.
final class QueryResult {
  private let handle: OpaquePointer

  /// Takes ownership of a result of libpq.
  init(_ handle: OpaquePointer) {
    self.handle = handle
  }

  deinit {
    libpq_PQclear(self.handle)
  }

  /// The number of returned rows.
  var count: Int { Int(libpq_PQntuples(self.handle)) }

  /// The number of rows that the statement itself inserted, changed, or deleted. Rows that triggers or cascades changed
  /// do not count.
  var changes: Int { libpq_PQcmdTuples(self.handle).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// The command tag, for example `COMMIT`.
  var command: String { libpq_PQcmdStatus(self.handle).map { String(cString: $0) } ?? "" }

  /// The object identifier of a column's type.
  func type(_ column: Int) -> UInt32 { libpq_PQftype(self.handle, Int32(column)) }

  func name(_ column: Int) -> String { libpq_PQfname(self.handle, Int32(column)).map { String(cString: $0) } ?? "?" }

  /// The bytes of a value, which are valid while this object exists; nil for NULL.
  func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    guard libpq_PQgetisnull(self.handle, Int32(row), Int32(column)) == 0 else { return nil }
    return UnsafeRawBufferPointer(
      start: libpq_PQgetvalue(self.handle, Int32(row), Int32(column)),
      count: Int(libpq_PQgetlength(self.handle, Int32(row), Int32(column))))
  }

  /// Whether two results of the same statement have the same rows in the same order.
  func hasSameRows(as other: QueryResult) -> Bool {
    guard self.count == other.count else { return false }
    for row in 0..<self.count {
      for column in 0..<Int(libpq_PQnfields(self.handle)) {
        switch (self.value(row, column), other.value(row, column)) {
        case (nil, nil): continue
        case (let value?, let otherValue?) where value.elementsEqual(otherValue): continue
        default: return false
        }
      }
    }
    return true
  }
}
