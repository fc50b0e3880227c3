import Crypto
import SallyportProtocol

/// What a person types to name the device that waits, RFC 8628 §6.1: eight consonants, so that no word comes out and nothing is
/// mistaken for a digit. 20⁸ of them, about 34 bits.
package struct UserCode: Sendable, Hashable {
  private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  private static let length = 8

  /// In upper case and without hyphens.
  package let letters: String

  /// A new code.
  static func random() -> UserCode {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<self.length).map { _ in self.alphabet.randomElement(using: &generator) ?? self.alphabet[0] }
    return UserCode(unchecked: String(decoding: bytes, as: UTF8.self))
  }

  /// A code as somebody typed it: case, spaces and hyphens do not count (RFC 8628 §6.1).
  package init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let bytes = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }.map { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
    }
    guard bytes.count == Self.length, bytes.allSatisfy(Self.alphabet.contains) else { return nil }
    self.letters = String(decoding: bytes, as: UTF8.self)
  }

  private init(unchecked letters: String) {
    self.letters = letters
  }

  /// As it is shown: two halves.
  package var description: String { "\(self.letters.prefix(4))-\(self.letters.suffix(4))" }
}

/// Fingerprints of user codes, which are too short for a plain digest: whoever has the database could try them all.
package struct UserCodeFingerprints: Sendable {
  private let key: SymmetricKey

  init(_ masterKey: MasterKey) {
    self.key = masterKey.key(for: "user codes")
  }

  package func fingerprint(of code: UserCode) -> Fingerprint {
    Fingerprint(bytes: Array(HMAC<SHA256>.authenticationCode(for: Array(code.letters.utf8), using: self.key)))
  }
}
