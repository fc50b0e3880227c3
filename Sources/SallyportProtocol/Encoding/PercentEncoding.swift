/// Percent-encoding of single values (RFC 3986 §2.1), and decoding of values in forms, where `+` stands for a space.
package enum PercentEncoding {
  /// Encodes everything except unreserved characters, so the result is safe in a query, a form, and a header field.
  package static func encode(_ value: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(value.utf8.count)
    self.append(String(value), to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends an encoded value to `bytes`.
  static func append(_ value: String, to bytes: inout [UInt8]) {
    var value = value
    value.withUTF8 { text in
      // Most values, such as codes and tokens, need no encoding.
      if text.allSatisfy(self.isUnreserved) {
        bytes.append(contentsOf: text)
      } else {
        for byte in text { self.append(byte, to: &bytes) }
      }
    }
  }

  /// Appends a byte to `bytes`: unreserved characters unchanged, others as `%` and two uppercase hexadecimal digits
  /// (RFC 3986 §2.1).
  static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    guard !self.isUnreserved(byte) else { return bytes.append(byte) }
    bytes.append(UInt8(ascii: "%"))
    bytes.append(self.hexDigit(byte >> 4))
    bytes.append(self.hexDigit(byte & 15))
  }

  /// Decodes text, with `+` as a space. Returns `nil` for invalid encoding, for bytes that are not UTF-8, and for text
  /// with a null character, which no parameter may contain (RFC 6749 appendix A) and PostgreSQL cannot store.
  package static func decodeForm(_ encoded: some Sequence<UInt8>) -> String? {
    Array(encoded).withUnsafeBufferPointer { self.decodeForm($0) }
  }

  /// Decodes text in the same way, from a buffer that is not copied first.
  package static func decodeForm(_ encoded: UnsafeBufferPointer<UInt8>) -> String? {
    if encoded.position(of: UInt8(ascii: "%")) == nil, encoded.position(of: UInt8(ascii: "+")) == nil {
      return encoded.position(of: 0) == nil ? String(validUTF8: encoded) : nil
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var index = 0
    while index < encoded.count {
      switch encoded[index] {
      case UInt8(ascii: "+"):
        bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard index + 2 < encoded.count, let high = self.hexValue(encoded[index + 1]), let low = self.hexValue(encoded[index + 2])
        else { return nil }
        bytes.append(high << 4 | low)
        index += 2
      case let byte:
        bytes.append(byte)
      }
      index += 1
    }
    return bytes.withUnsafeBufferPointer { $0.position(of: 0) == nil ? String(validUTF8: $0) : nil }
  }

  /// Whether the byte is unreserved: `A-Z a-z 0-9 - . _ ~` (RFC 3986 §2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    Base64URL.isInAlphabet(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~")
  }

  package static func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
