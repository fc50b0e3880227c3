#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Unpadded base64url, RFC 4648 §5, strict: one text for each byte sequence and the other way round.
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  package static func encode(_ bytes: some Sequence<UInt8>) -> String { self.encode(Array(bytes)) }

  /// For one type, since every token goes through it.
  package static func encode(_ bytes: [UInt8]) -> String {
    let alphabet = self.alphabet
    let length = (bytes.count * 4 + 2) / 3
    return String(unsafeUninitializedCapacity: length) { text in
      for index in 0..<length {
        // The six bits of this character begin in the first of these bytes and may end in the second.
        let first = index * 6 / 8
        let second = first + 1 < bytes.count ? bytes[first + 1] : 0
        let bits = UInt16(bytes[first]) << 8 | UInt16(second)
        text[index] = alphabet[Int(bits >> (10 - index * 6 % 8) & 0x3F)]
      }
      return length
    }
  }

  /// The bytes, or nil for padding, a character of another alphabet, an impossible length or stray trailing bits.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.allSatisfy(self.isInAlphabet), text.utf8.count % 4 != 1 else { return nil }
    var standard = text.utf8.map { character in
      switch character {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: character
      }
    }
    while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
    guard let data = Data(base64Encoded: Data(standard)), self.encode(data) == text else { return nil }
    return Array(data)
  }

  package static func isInAlphabet(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
