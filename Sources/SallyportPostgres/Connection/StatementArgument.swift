import SallyportProtocol
import SallyportServer

/// A value that can be sent as a statement's parameter. In a list of arguments, nil means NULL.
protocol StatementArgument {
  /// Appends the value in PostgreSQL's binary format.
  func append(to bytes: inout [UInt8])
}

extension String: StatementArgument {
  func append(to bytes: inout [UInt8]) { bytes.append(contentsOf: self.utf8) }
}

extension Int64: StatementArgument {
  func append(to bytes: inout [UInt8]) {
    withUnsafeBytes(of: self.bigEndian) { bytes.append(contentsOf: $0) }
  }
}

extension Int: StatementArgument {
  func append(to bytes: inout [UInt8]) { Int64(self).append(to: &bytes) }
}

extension Bool: StatementArgument {
  func append(to bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
}

extension [UInt8]: StatementArgument {
  func append(to bytes: inout [UInt8]) { bytes.append(contentsOf: self) }
}

extension Timestamp: StatementArgument {
  func append(to bytes: inout [UInt8]) { self.milliseconds.append(to: &bytes) }
}

extension Fingerprint: StatementArgument {
  func append(to bytes: inout [UInt8]) { bytes.append(contentsOf: self.bytes) }
}
