#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import TestSupport

enum JSONText {
  static func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  /// Converts server metadata to a JSON value, whose members a fault can change.
  static func value(of metadata: some Encodable) throws -> JSONValue {
    try JSONDecoder().decode(DecodedJSON.self, from: JSONEncoder().encode(metadata)).value
  }
}

/// A flat JSON document, whose members are strings, Booleans, or arrays of strings.
private struct DecodedJSON: Decodable {
  let value: JSONValue

  private struct Member: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        self.value = .bool(flag)
      } else if let list = try? container.decode([String].self) {
        self.value = .array(list.map { .string($0) })
      } else {
        self.value = .string(try container.decode(String.self))
      }
    }
  }

  init(from decoder: any Decoder) throws {
    self.value = .object(try decoder.singleValueContainer().decode([String: Member].self).mapValues(\.value))
  }
}
