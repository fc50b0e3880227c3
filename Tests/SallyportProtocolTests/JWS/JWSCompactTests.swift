import SallyportProtocol
import Testing

struct JWSCompactTests {
  private static let header = Base64URL.encode(#"{"alg":"ES256","kid":"a","typ":"at+jwt"}"#.utf8)

  @Test("a JWS is split into its parts, and the signing input is the original text")
  func good() throws {
    let jws = try JWSCompact("\(Self.header).e30.AAAA")
    #expect(jws.header.algorithm == "ES256")
    #expect(jws.header.keyID == "a")
    #expect(jws.header.isType("at+jwt"))
    #expect(!jws.header.hasCriticalParameters)
    #expect(jws.payload == Array("{}".utf8))
    #expect(jws.signature == [0, 0, 0])
    #expect(jws.signingInput == Array("\(Self.header).e30".utf8))
  }

  @Test(
    "C-29: text that is not a canonical JWS is rejected",
    arguments: [
      ("", .notThreeParts), (".", .notThreeParts), ("a.b", .notThreeParts), ("\(header).e30", .notThreeParts),
      ("\(header).e30.AAAA.", .notThreeParts), ("\(header).e30.AAAA.AAAA", .notThreeParts),
      ("\(header).a.b.c.d", .notThreeParts), ("..", .headerMalformed), ("\(header).e30=.AAAA", .notBase64URL),
      ("\(header).e3 0.AAAA", .notBase64URL), (" \(header).e30.AAAA", .notBase64URL), ("e30.e30.AAAA", .headerMalformed),
      ("\(header).e30.AA==", .signatureNotBase64URL), ("\(header).e30.A", .signatureNotBase64URL),
      ("\(header).e30.AB", .signatureNotBase64URL), ("\(header).e30.++//", .signatureNotBase64URL),
      ("\(header).e30.AAAA\n", .signatureNotBase64URL), ("\(header).e30.ÄÄÄÄ", .signatureNotBase64URL),
      ("bnVsbA.e30.AAAA", .headerMalformed), ("AAAA.e30.AAAA", .headerMalformed),
      (Base64URL.encode(#"{"alg":7}"#.utf8) + ".e30.AAAA", .headerMalformed),
      (Base64URL.encode(#"{"alg":null}"#.utf8) + ".e30.AAAA", .headerMalformed),
      (Base64URL.encode(#"{"alg":"ES256","kid":7}"#.utf8) + ".e30.AAAA", .headerMalformed),
      (Base64URL.encode(#"{"alg":"ES256","kid":1e300}"#.utf8) + ".e30.AAAA", .headerMalformed),
      (Base64URL.encode(#"["ES256"]"#.utf8) + ".e30.AAAA", .headerMalformed),
    ] as [(String, JWSError)])
  func malformed(text: String, error: JWSError) {
    #expect(throws: error) { try JWSCompact(text) }
  }

  @Test("text that is too long is rejected before it is split")
  func tooLong() {
    let text = "\(Self.header).e30." + String(repeating: "A", count: 32 << 10)
    #expect(throws: JWSError.tooLong) { try JWSCompact(text) }
    #expect(throws: Never.self) { try JWSCompact(text, maximumLength: 64 << 10) }
  }

  @Test("typ is case-insensitive, and the prefix application/ is optional")
  func types() throws {
    for (typ, isAccessToken) in [("at+jwt", true), ("AT+JWT", true), ("application/at+jwt", true), ("JWT", false), ("", false)] {
      let header = Base64URL.encode("{\"alg\":\"ES256\",\"typ\":\"\(typ)\"}".utf8)
      #expect(try JWSCompact("\(header).e30.").header.isType("at+jwt") == isAccessToken)
    }
    #expect(try !JWSCompact("\(Base64URL.encode(#"{"alg":"x"}"#.utf8)).e30.").header.isType("at+jwt"))
  }
}
