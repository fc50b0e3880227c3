import SallyportProtocol
import Testing

struct Base64URLTests {
  @Test(
    "the test vectors of RFC 4648 are encoded and decoded, without padding",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ])
  func vectors(text: String, encoded: String) {
    #expect(Base64URL.encode(text.utf8) == encoded)
    #expect(Base64URL.decode(encoded) == Array(text.utf8))
  }

  @Test("S-40: the URL alphabet uses - and _")
  func alphabet() {
    #expect(Base64URL.encode([0xFB, 0xFF, 0xBF]) == "-_-_")
    #expect(Base64URL.decode("-_-_") == [0xFB, 0xFF, 0xBF])
  }

  @Test(
    "S-40: padding, characters outside the alphabet, impossible lengths, and nonzero trailing bits are rejected",
    arguments: [
      "Zg=", "Zg==", "Zh", "Zm9", "Zm8=", "Z", "Zm9vY", "Zm9v\n", " Zm9v", "Zm9v ", "Zm+v", "Zm/v", "Zm.v", "Zm%v", "====", "é",
      "Zm9\u{0}",
      // A full-width Z.
      "\u{FF3A}m9v",
    ])
  func refused(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test("S-40: among texts of two or three characters, only canonical encodings are decoded")
  func exhaustive() {
    let alphabet = Array("AZaz059-_Q+/= ".utf8)
    for first in alphabet {
      for second in alphabet {
        for bytes in [[first, second], [first, second, UInt8(ascii: "A")], [UInt8(ascii: "_"), first, second]] {
          let text = String(decoding: bytes, as: UTF8.self)
          let encodedAgain = Base64URL.decode(text).map { Base64URL.encode($0) }
          let isCanonical = text.utf8.allSatisfy(Base64URL.isInAlphabet) && Self.trailingBitsAreZero(text)
          #expect(encodedAgain == (isCanonical ? text : nil), "\(text)")
        }
      }
    }
  }

  /// Whether the unused bits of the last character are zero (RFC 4648 §3.5). Two characters have four unused bits, and
  /// three characters have two unused bits. True if the last character is not in the alphabet.
  private static func trailingBitsAreZero(_ text: String) -> Bool {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    guard let last = text.utf8.last, let lastValue = alphabet.firstIndex(of: last) else { return true }
    return lastValue % (text.utf8.count == 2 ? 16 : 4) == 0
  }

  @Test("encoded bytes of every length are decoded to the same bytes")
  func roundTrip() {
    for count in 0...130 {
      let bytes = RandomText.bytes(count: count)
      let text = Base64URL.encode(bytes)
      #expect(text.utf8.allSatisfy(Base64URL.isInAlphabet))
      #expect(Base64URL.decode(text) == bytes)
    }
  }
}
