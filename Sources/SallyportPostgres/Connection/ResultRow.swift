import SallyportProtocol
import SallyportServer

/// A row of a result, in PostgreSQL's binary format.
///
/// The schema determines each column's type and whether it can be NULL. The caller must use the accessor that matches
/// the column. Each accessor throws an error if the value does not have the expected type or form, which means that
/// another program has changed the database.
struct ResultRow {
  /// The object identifiers of the types that the schema uses.
  private enum TypeID {
    static let boolean: UInt32 = 16
    static let bytes: UInt32 = 17
    static let integer: UInt32 = 20
    static let text: UInt32 = 25
  }

  private let result: QueryResult
  private let row: Int
  /// The index of the record's first column. A row can hold several records.
  private let first: Int

  init(_ result: QueryResult, row: Int, from first: Int = 0) {
    self.result = result
    self.row = row
    self.first = first
  }

  /// Returns the same row, for reading the record that begins `count` columns later. Its first column then has the
  /// index 0.
  func droppingFirst(_ count: Int) -> ResultRow {
    ResultRow(self.result, row: self.row, from: self.first + count)
  }

  subscript(_ column: Int) -> String {
    get throws(StoreError) { String(decoding: try self.value(column, TypeID.text), as: UTF8.self) }
  }

  subscript(_ column: Int) -> String? {
    get throws(StoreError) { self.isNull(column) ? nil : try self[column] as String }
  }

  subscript(_ column: Int) -> Int64 {
    get throws(StoreError) {
      try self.value(column, TypeID.integer).reduce(0) { $0 << 8 | Int64($1) }
    }
  }

  subscript(_ column: Int) -> Int {
    get throws(StoreError) { Int(try self[column] as Int64) }
  }

  subscript(_ column: Int) -> Bool {
    get throws(StoreError) { try self.value(column, TypeID.boolean).first == 1 }
  }

  func time(_ column: Int) throws(StoreError) -> Timestamp {
    Timestamp(milliseconds: try self[column])
  }

  func optionalTime(_ column: Int) throws(StoreError) -> Timestamp? {
    self.isNull(column) ? nil : try self.time(column)
  }

  func bytes(_ column: Int) throws(StoreError) -> [UInt8] {
    Array(try self.value(column, TypeID.bytes))
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

  func isNull(_ column: Int) -> Bool { self.result.value(self.row, self.first + column) == nil }

  private func value(_ column: Int, _ type: UInt32) throws(StoreError) -> UnsafeRawBufferPointer {
    guard self.result.type(self.first + column) == type, let value = self.result.value(self.row, self.first + column) else {
      throw self.damageError(column)
    }
    return value
  }

  private func damageError(_ column: Int) -> StoreError {
    .unavailable(
      reason: "the value of \"\(self.result.name(self.first + column))\" is invalid, so another program has changed the database")
  }
}

/// Unwraps the result of parsing a stored value. Only valid values are written, so a value that cannot be parsed was
/// changed by another program.
/// - Parameter name: The name of the value, for the error.
func unwrapStored<Value>(_ value: Value?, _ name: String) throws(StoreError) -> Value {
  guard let value else {
    throw .unavailable(reason: "the database contains an invalid \(name), so another program has changed it")
  }
  return value
}
