import SallyportProtocol

/// Bytes that JSON contains in base64url without padding (WebAuthn L3 §5.1, `Base64URLString`).
package struct Base64URLBytes: Codable, Hashable, Sendable {
  package var bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = Base64URL.decode(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64url")
    }
    self.bytes = bytes
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Base64URL.encode(self.bytes))
  }
}
