import SallyportProtocol
import Testing

struct PKCETests {
  /// RFC 7636 appendix B.
  private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

  @Test("C-02: the S256 transformation yields the example of RFC 7636 appendix B")
  func appendixB() throws {
    #expect(try CodeVerifier(Self.verifier).challenge.value == Self.challenge)
    #expect(try CodeVerifier(Self.verifier).challenge == CodeChallenge(Self.challenge, method: "S256"))
    #expect(CodeChallenge.method == "S256")
  }

  @Test("C-03: a new verifier has 256 random bits in 43 unreserved characters and is unique")
  func random() throws {
    let texts = (0..<10_000).map { _ in CodeVerifier.random().text.reveal() }
    #expect(Set(texts).count == texts.count)
    for text in texts {
      #expect(text.utf8.count == 43)
      #expect(Base64URL.decode(text)?.count == 32)
    }
    // In 10,000 verifiers, each of the 256 bits must take both values.
    let bytes = texts.compactMap { Base64URL.decode($0) }
    for index in 0..<32 {
      #expect(bytes.reduce(0) { $0 | $1[index] } == 0xFF)
      #expect(bytes.reduce(0xFF) { $0 & $1[index] } == 0)
    }
  }

  @Test(
    "C-03: a verifier has 43 to 128 characters",
    arguments: [
      (0, false), (1, false), (42, false), (43, true), (44, true), (127, true), (128, true), (129, false), (4096, false),
    ])
  func length(count: Int, isAccepted: Bool) {
    let text = String(repeating: "a", count: count)
    if isAccepted {
      #expect(throws: Never.self) { try CodeVerifier(text) }
    } else {
      #expect(throws: PKCEError.verifierMalformed) { try CodeVerifier(text) }
    }
  }

  @Test("C-03: a verifier has only unreserved characters")
  func alphabet() {
    let stem = String(repeating: "a", count: 42)
    for byte in UInt8.min...0x7F {
      let character = Character(UnicodeScalar(byte))
      let isUnreserved = character.isLetter || character.isNumber || "-._~".contains(character)
      let isAccepted = (try? CodeVerifier(stem + String(character))) != nil
      #expect(isAccepted == isUnreserved, "\(byte)")
    }
    // U+212A is the Kelvin sign. The third text is a Cyrillic letter that looks like a Latin a.
    for text in ["é", "\u{212A}", "а", "a\u{301}", "😀"] {
      #expect(throws: PKCEError.verifierMalformed) { try CodeVerifier(stem + text) }
    }
  }

  @Test(
    "C-02, S-40: a method other than S256 is rejected, and so is a missing method, which means plain",
    arguments: [
      nil, "", "plain", "s256", "S256 ", " S256", "S512", "PLAIN", "S256,plain",
    ])
  func methods(method: String?) {
    #expect(throws: PKCEError.methodNotSupported) { try CodeChallenge(Self.challenge, method: method) }
  }

  private static let invalidChallenges: [String] = [
    "", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cMA",
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cN",
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM", "/9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    " 9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", ".9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    "éMelhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM\n",
    String(repeating: "A", count: 86),
  ]

  @Test("S-40: a challenge is 43 characters of canonical, unpadded base64url", arguments: Self.invalidChallenges)
  func challenges(text: String) {
    #expect(throws: PKCEError.challengeMalformed) { try CodeChallenge(text, method: "S256") }
    #expect(throws: PKCEError.challengeMalformed) { try CodeChallenge(stored: text) }
  }

  @Test("two verifiers that differ in one character have different challenges")
  func difference() throws {
    let other = Self.verifier.dropLast() + "l"
    #expect(try CodeVerifier(String(other)).challenge.value != Self.challenge)
  }
}
