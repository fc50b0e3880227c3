#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A JSON value of any type, from a client's document.
enum JSONText: Codable, Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONText])
  case object([String: JSONText])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONText].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONText].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// Returns the members of a JSON object; nil if the bytes are anything else.
  static func object(_ bytes: some Sequence<UInt8>) -> [String: JSONText]? {
    try? JSONDecoder().decode([String: JSONText].self, from: Data(bytes))
  }

  /// The value as a request parameter: a string as it is, other values as JSON (RFC 9101 §4).
  var parameter: String? {
    switch self {
    case .null: nil
    case .string(let value): value
    default: (try? WireJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
