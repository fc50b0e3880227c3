import Crypto
import SallyportProtocol

/// The code that a user enters to identify a device (RFC 8628 §6.1).
///
/// The code has eight consonants. Without vowels, a code forms no word, and does not contain I or O, which look like
/// digits. There are 20⁸ codes, about 34.6 bits.
package struct UserCode: Sendable, Hashable {
  private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  private static let length = 8

  /// The letters in uppercase, without the hyphen.
  package let letters: String

  /// Returns a new code.
  static func random() -> UserCode {
    var generator = SystemRandomNumberGenerator()
    // The alphabet is not empty, so `randomElement` never returns nil.
    let bytes = (0..<self.length).map { _ in self.alphabet.randomElement(using: &generator) ?? self.alphabet[0] }
    return UserCode(unchecked: String(decoding: bytes, as: UTF8.self))
  }

  /// Parses a code that a user entered. Case, spaces, and hyphens are ignored (RFC 8628 §6.1).
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

  /// The code as it is displayed, in two groups of four letters.
  package var description: String { "\(self.letters.prefix(4))-\(self.letters.suffix(4))" }
}

/// Keyed fingerprints of user codes. The codes are so short that a plain digest could be reversed by trying all codes.
package struct UserCodeFingerprints: Sendable {
  private let key: SymmetricKey

  init(_ masterKey: MasterKey) {
    self.key = masterKey.key(for: "user codes")
  }

  package func fingerprint(of code: UserCode) -> Fingerprint {
    Fingerprint(bytes: Array(HMAC<SHA256>.authenticationCode(for: Array(code.letters.utf8), using: self.key)))
  }
}
