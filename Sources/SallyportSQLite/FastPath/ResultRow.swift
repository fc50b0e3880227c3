import GRDBSQLite
import SallyportProtocol
import SallyportServer

/// The current row of a statement, read directly from SQLite's memory.
///
/// The tables are STRICT, so the schema determines each column's type and whether it can be NULL. The caller must use
/// the accessor that matches the column. Each accessor throws if the value has another type, which means that the row
/// is damaged.
struct ResultRow {
  private let statement: OpaquePointer
  /// The index of the record's first column. A row can hold several records.
  private let first: Int32

  init(statement: OpaquePointer, from first: Int = 0) {
    self.statement = statement
    self.first = Int32(first)
  }

  /// Returns the row without its first `count` columns, to read the record that follows them.
  func droppingFirst(_ count: Int) -> ResultRow {
    ResultRow(statement: self.statement, from: Int(self.first) + count)
  }

  subscript(_ column: Int) -> String {
    get throws(StoreError) {
      try self.check(column, SQLITE_TEXT)
      // The length must be read after the text, because `sqlite3_column_text` can convert the value and so change its
      // length.
      guard let text = sqlite3_column_text(self.statement, self.index(column)) else { throw self.damageError(column) }
      let count = Int(sqlite3_column_bytes(self.statement, self.index(column)))
      return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }
  }

  subscript(_ column: Int) -> String? {
    get throws(StoreError) { self.isNull(column) ? nil : try self[column] as String }
  }

  subscript(_ column: Int) -> Int64 {
    get throws(StoreError) {
      try self.check(column, SQLITE_INTEGER)
      return sqlite3_column_int64(self.statement, self.index(column))
    }
  }

  subscript(_ column: Int) -> Int64? {
    get throws(StoreError) { self.isNull(column) ? nil : try self[column] as Int64 }
  }

  subscript(_ column: Int) -> Int {
    get throws(StoreError) { Int(try self[column] as Int64) }
  }

  subscript(_ column: Int) -> Bool {
    get throws(StoreError) { try self[column] as Int64 != 0 }
  }

  func time(_ column: Int) throws(StoreError) -> Timestamp {
    Timestamp(milliseconds: try self[column])
  }

  func optionalTime(_ column: Int) throws(StoreError) -> Timestamp? {
    self.isNull(column) ? nil : try self.time(column)
  }

  func bytes(_ column: Int) throws(StoreError) -> [UInt8] {
    try self.check(column, SQLITE_BLOB)
    // The address of an empty value is nil.
    guard let bytes = sqlite3_column_blob(self.statement, self.index(column)) else { return [] }
    let count = Int(sqlite3_column_bytes(self.statement, self.index(column)))
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  func optionalBytes(_ column: Int) throws(StoreError) -> [UInt8]? {
    self.isNull(column) ? nil : try self.bytes(column)
  }

  func fingerprint(_ column: Int) throws(StoreError) -> Fingerprint {
    let bytes = try self.bytes(column)
    guard bytes.count == 32 else { throw self.damageError(column) }
    return Fingerprint(bytes: bytes)
  }

  func optionalFingerprint(_ column: Int) throws(StoreError) -> Fingerprint? {
    self.isNull(column) ? nil : try self.fingerprint(column)
  }

  func scope(_ column: Int) throws(StoreError) -> Scope {
    try unwrapStored(Scope(try self[column] as String), "scope")
  }

  func optionalScope(_ column: Int) throws(StoreError) -> Scope? {
    self.isNull(column) ? nil : try self.scope(column)
  }

  /// Returns the strings of a list that is stored as one text, separated by spaces.
  func words(_ column: Int) throws(StoreError) -> [String] {
    (try self[column] as String).utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
  }

  // MARK: Columns

  private func index(_ column: Int) -> Int32 { self.first + Int32(column) }

  private func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(self.statement, self.index(column)) == SQLITE_NULL
  }

  private func check(_ column: Int, _ type: Int32) throws(StoreError) {
    guard sqlite3_column_type(self.statement, self.index(column)) == type else { throw self.damageError(column) }
  }

  private func damageError(_ column: Int) -> StoreError {
    let name = sqlite3_column_name(self.statement, self.index(column)).map { String(cString: $0) } ?? "?"
    return .unavailable(
      reason: "a row is damaged: the value of \"\(name)\" is invalid; run 'sallyportd doctor', and restore a backup")
  }
}

/// Unwraps the result of parsing a stored value. Only valid values are written, so a value that cannot be parsed was
/// changed by another program or is damaged.
/// - Parameter name: The name of the value, for the error.
func unwrapStored<Value>(_ value: Value?, _ name: String) throws(StoreError) -> Value {
  guard let value else {
    throw .unavailable(reason: "the database contains an invalid \(name); run 'sallyportd doctor', and restore a backup")
  }
  return value
}
