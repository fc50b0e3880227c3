#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Shorthand for decoding and encoding JSON.
enum FuzzJSON {
  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: some Sequence<UInt8>) -> Value? {
    try? JSONDecoder().decode(type, from: Data(bytes))
  }

  static func encode(_ value: some Encodable) -> [UInt8]? {
    (try? JSONEncoder().encode(value)).map { Array($0) }
  }
}
