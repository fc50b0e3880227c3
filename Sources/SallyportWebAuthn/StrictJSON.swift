import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes untrusted JSON.
enum StrictJSON {
  /// Decodes JSON in UTF-8.
  /// - Returns: `nil` if the bytes are not UTF-8, not JSON, or not of this type.
  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: some Collection<UInt8>) -> Value? {
    let bytes = Array(bytes)
    // JSONDecoder also accepts UTF-16 and UTF-32, whose texts contain null bytes. JSON in UTF-8 contains none.
    guard !bytes.contains(0), bytes.withUnsafeBufferPointer({ String(validUTF8: $0) != nil }) else { return nil }
    // JSONDecoder does not check the syntax of members that `Value` does not declare. A `JSONValue` has all members, so
    // it can be decoded only if the whole text is JSON.
    let data = Data(bytes)
    guard (try? JSONDecoder().decode(JSONValue.self, from: data)) != nil else { return nil }
    return try? JSONDecoder().decode(type, from: data)
  }
}
