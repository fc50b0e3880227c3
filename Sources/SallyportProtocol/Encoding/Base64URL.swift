/// Strict base64url without padding (RFC 4648 §5). Each byte sequence has exactly one encoding.
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The value of each character, or 64 for characters outside the alphabet.
  private static let values: [UInt8] = (0...UInt8.max).map { byte in
    UInt8(Self.alphabet.firstIndex(of: byte) ?? 64)
  }

  package static func encode(_ bytes: some Sequence<UInt8>) -> String { self.encode(Array(bytes)) }

  /// Encodes an array without copying it.
  package static func encode(_ bytes: [UInt8]) -> String {
    let alphabet = self.alphabet
    return String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
      var length = 0
      // The lowest `count` bits have been read but not written yet.
      var (bits, count): (UInt32, Int) = (0, 0)
      for byte in bytes {
        (bits, count) = (bits << 8 | UInt32(byte), count + 8)
        while count >= 6 {
          count -= 6
          text[length] = alphabet[Int(bits >> count & 0x3F)]
          length += 1
        }
      }
      guard count > 0 else { return length }
      text[length] = alphabet[Int(bits << (6 - count) & 0x3F)]
      return length + 1
    }
  }

  /// Decodes text. Returns `nil` for padding, a character outside the alphabet, an impossible length, or nonzero
  /// trailing bits.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var text = String(text)
    return text.withUTF8 { self.decode($0) }
  }

  private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    let values = self.values
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    // The lowest `count` bits have been read but not written yet.
    var (bits, count): (UInt16, Int) = (0, 0)
    for character in text {
      let value = values[Int(character)]
      guard value < 64 else { return nil }
      (bits, count) = (bits << 6 | UInt16(value), count + 6)
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    // Trailing bits must be zero, or several texts would encode the same bytes.
    return bits & (1 << count - 1) == 0 ? bytes : nil
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
