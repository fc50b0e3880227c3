import GRDBSQLite
import SallyportProtocol
import SallyportServer

/// A value that can be bound to a statement parameter. ``RunningStatement`` takes optional arguments, and binds nil as
/// NULL.
protocol StatementArgument {
  /// - Returns: The SQLite result code.
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32
}

/// `SQLITE_TRANSIENT`, which makes SQLite copy the value. Swift does not import the macro.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension String: StatementArgument {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    var text = self
    return text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { characters in
        sqlite3_bind_text64(
          statement, position, characters.baseAddress ?? Self.empty, UInt64(characters.count), transient, UInt8(SQLITE_UTF8))
      }
    }
  }

  /// A valid address to use for an empty string. The address of an empty string's own bytes can be nil, which SQLite
  /// would bind as NULL.
  private static var empty: UnsafePointer<CChar> { UnsafePointer(sqlite3_sourceid()) }
}

extension Int64: StatementArgument {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    sqlite3_bind_int64(statement, position, self)
  }
}

extension Int: StatementArgument {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    Int64(self).bind(to: statement, at: position)
  }
}

extension Bool: StatementArgument {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    Int64(self ? 1 : 0).bind(to: statement, at: position)
  }
}

extension [UInt8]: StatementArgument {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    // The address of an empty array can be nil, which SQLite would bind as NULL.
    guard !self.isEmpty else { return sqlite3_bind_zeroblob(statement, position, 0) }
    return self.withUnsafeBytes { bytes in
      sqlite3_bind_blob64(statement, position, bytes.baseAddress, UInt64(bytes.count), transient)
    }
  }
}

extension Timestamp: StatementArgument {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    self.milliseconds.bind(to: statement, at: position)
  }
}

extension Fingerprint: StatementArgument {
  func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
    self.bytes.bind(to: statement, at: position)
  }
}
