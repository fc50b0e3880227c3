import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Sealed values in base64url, for cookies, forms, and URLs.
extension Sealer {
  /// - Returns: Nil if the value cannot be sealed.
  func sealText(_ text: String, context: String) -> String? {
    (try? self.seal(text.utf8, context: context)).map { Base64URL.encode($0) }
  }

  /// - Returns: Nil if the text was not sealed with this key and context.
  func openText(_ sealed: String, context: String) -> String? {
    self.openBytes(sealed, context: context).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Seals a value as JSON.
  /// - Returns: Nil if the value cannot be encoded or sealed.
  func sealJSON(_ value: some Encodable, context: String) -> String? {
    guard let json = try? JSONEncoder().encode(value), let sealed = try? self.seal(json, context: context) else { return nil }
    return Base64URL.encode(sealed)
  }

  /// - Returns: Nil if the text was not sealed with this key and context, or is not JSON of this type.
  func openJSON<Value: Decodable>(_ sealed: String, as type: Value.Type, context: String) -> Value? {
    self.openBytes(sealed, context: context).flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
  }

  private func openBytes(_ sealed: String, context: String) -> [UInt8]? {
    Base64URL.decode(sealed).flatMap { try? self.open($0, context: context) }
  }
}
