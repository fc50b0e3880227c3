import GRDBSQLite
import SallyportProtocol
import SallyportServer

/// The current row of a statement, read directly from SQLite's memory.
///
/// The tables are STRICT, so the schema determines each column's type and whether it can be NULL. The caller must use
/// the accessor that matches the column.
struct ResultRow {
  private let statement: OpaquePointer
  /// The index of the record's first column. A row can hold several records.
  private let first: Int32

  init(statement: OpaquePointer, from first: Int = 0) {
    self.statement = statement
    self.first = Int32(first)
  }

  /// Returns the same row for a record that follows `count` other columns.
  func after(_ count: Int) -> ResultRow {
    ResultRow(statement: self.statement, from: Int(self.first) + count)
  }

  subscript(_ column: Int) -> String? {
    // The order matters: a call to `sqlite3_column_text` can convert the value and so change its length.
    guard let text = sqlite3_column_text(self.statement, self.first + Int32(column)) else { return nil }
    let count = Int(sqlite3_column_bytes(self.statement, self.first + Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  subscript(_ column: Int) -> String {
    guard let text = self[column] as String? else { preconditionFailure("NULL in a column that is NOT NULL") }
    return text
  }

  subscript(_ column: Int) -> Int64? {
    self.isNull(column) ? nil : self[column] as Int64
  }

  subscript(_ column: Int) -> Int64 { sqlite3_column_int64(self.statement, self.first + Int32(column)) }

  subscript(_ column: Int) -> Int { Int(self[column] as Int64) }

  subscript(_ column: Int) -> Bool { (self[column] as Int64) != 0 }

  func time(_ column: Int) -> Timestamp {
    Timestamp(milliseconds: self[column])
  }

  func optionalTime(_ column: Int) -> Timestamp? {
    (self[column] as Int64?).map { Timestamp(milliseconds: $0) }
  }

  func bytes(_ column: Int) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(self.statement, self.first + Int32(column)) else { return [] }
    let count = Int(sqlite3_column_bytes(self.statement, self.first + Int32(column)))
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  func optionalBytes(_ column: Int) -> [UInt8]? {
    self.isNull(column) ? nil : self.bytes(column)
  }

  /// A fingerprint. A CHECK constraint in the schema ensures its length.
  func fingerprint(_ column: Int) -> Fingerprint {
    Fingerprint(bytes: self.bytes(column))
  }

  func optionalFingerprint(_ column: Int) -> Fingerprint? {
    self.optionalBytes(column).map { Fingerprint(bytes: $0) }
  }

  func scope(_ column: Int) throws(StoreError) -> Scope {
    try readable(Scope(self[column] as String), "scope")
  }

  func optionalScope(_ column: Int) throws(StoreError) -> Scope? {
    guard let text = self[column] as String? else { return nil }
    return try readable(Scope(text), "scope")
  }

  /// A list of strings that contain no spaces.
  func words(_ column: Int) -> [String] {
    (self[column] as String).utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
  }

  private func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(self.statement, self.first + Int32(column)) == SQLITE_NULL
  }
}

/// Unwraps the result of parsing a stored value. Only valid values are written, so a value that cannot be parsed was
/// changed by another program.
func readable<Value>(_ value: Value?, _ what: String) throws(StoreError) -> Value {
  guard let value else { throw .unavailable(reason: "the database contains an invalid \(what)") }
  return value
}
