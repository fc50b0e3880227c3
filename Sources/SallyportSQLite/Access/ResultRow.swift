import GRDBSQLite
import SallyportProtocol
import SallyportServer

/// One row that a statement has found, read where SQLite keeps it.
///
/// The schema says what is text, number or bytes (STRICT) and what is never NULL; who reads a column knows it.
struct ResultRow {
  private let statement: OpaquePointer
  /// Where the record begins that is read: a row may have several.
  private let first: Int32

  init(statement: OpaquePointer, from first: Int = 0) {
    self.statement = statement
    self.first = Int32(first)
  }

  /// The same row, for a record whose columns follow `count` others.
  func after(_ count: Int) -> ResultRow {
    ResultRow(statement: self.statement, from: Int(self.first) + count)
  }

  subscript(_ column: Int) -> String? {
    // The text first: to ask for the count before could change the text.
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

  /// The schema's CHECK has counted the bytes.
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

  /// A list of texts without spaces.
  func words(_ column: Int) -> [String] {
    (self[column] as String).utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
  }

  private func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(self.statement, self.first + Int32(column)) == SQLITE_NULL
  }
}

/// A stored text in its own type. The rows were written from such values, so what cannot be read was changed by another hand.
func readable<Value>(_ value: Value?, _ what: String) throws(StoreError) -> Value {
  guard let value else { throw .unavailable(reason: "the database holds an unreadable \(what)") }
  return value
}
