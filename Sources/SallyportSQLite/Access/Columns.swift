import GRDB
import SallyportProtocol
import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Fingerprint {
  var column: Data { Data(self.bytes) }
}

extension Row {
  func time(_ column: Int) -> Timestamp {
    Timestamp(milliseconds: self[column])
  }

  func optionalTime(_ column: Int) -> Timestamp? {
    (self[column] as Int64?).map { Timestamp(milliseconds: $0) }
  }

  func bytes(_ column: Int) -> [UInt8] {
    [UInt8](self[column] as Data)
  }

  func optionalBytes(_ column: Int) -> [UInt8]? {
    (self[column] as Data?).map { [UInt8]($0) }
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
}

extension Row {
  func optionalScope(_ column: Int) throws(StoreError) -> Scope? {
    guard let text = self[column] as String? else { return nil }
    return try readable(Scope(text), "scope")
  }

  /// A list of texts without spaces.
  func words(_ column: Int) -> [String] {
    (self[column] as String).split(separator: " ").map(String.init)
  }
}

/// A stored text in its own type. The rows were written from such values, so what cannot be read was changed by another hand.
func readable<Value>(_ value: Value?, _ what: String) throws(StoreError) -> Value {
  guard let value else { throw .unavailable(reason: "the database holds an unreadable \(what)") }
  return value
}
