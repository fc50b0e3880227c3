package import SallyportProtocol

/// A recovery code: twelve letters and digits with 60 random bits, in Crockford's base32, which does not contain `I`,
/// `L`, `O`, or `U`.
package struct RecoveryCode: Sendable {
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
  private static let length = 12

  /// The letters and digits in lowercase, without hyphens.
  let text: Secret<String>

  /// Returns a new code.
  static func random() -> RecoveryCode {
    // The alphabet has 32 characters, so five bits of each byte select one.
    let letters = RandomText.bytes(count: Self.length).map { Self.alphabet[Int($0 & 31)] }
    return RecoveryCode(text: Secret(String(decoding: letters, as: UTF8.self)))
  }

  /// Parses a code that a user entered (``EnteredCode``). The letters `I` and `L` are read as 1, and `O` as 0.
  init?(_ entered: String) {
    guard let code = EnteredCode.ascii(entered) else { return nil }
    let letters = code.map { byte in
      switch byte {
      case UInt8(ascii: "o"): UInt8(ascii: "0")
      case UInt8(ascii: "i"), UInt8(ascii: "l"): UInt8(ascii: "1")
      default: byte
      }
    }
    guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
    self.text = Secret(String(decoding: letters, as: UTF8.self))
  }

  private init(text: Secret<String>) {
    self.text = text
  }

  /// The code as it is displayed, in three groups of four characters.
  package var displayed: Secret<String> {
    let text = self.text.reveal()
    return Secret("\(text.prefix(4))-\(text.dropFirst(4).prefix(4))-\(text.suffix(4))")
  }
}
