import SallyportProtocol
import SallyportServer
import Testing

@Suite("Opaque credentials")
struct OpaqueTokenTests {
  @Test(
    "a token has a prefix of its kind, 256 random bits, and a checksum, and can be parsed", arguments: OpaqueToken.Kind.allCases)
  func format(kind: OpaqueToken.Kind) throws {
    let token = OpaqueToken.random(kind)
    let text = token.text.reveal()
    // In base64url, the random bits have 43 characters, and the checksum has 6.
    #expect(text.hasPrefix(kind.rawValue) && text.utf8.count == kind.rawValue.utf8.count + 49)
    #expect(text.utf8.dropFirst(kind.rawValue.utf8.count).allSatisfy(Base64URL.isInAlphabet))
    #expect(try #require(OpaqueToken(kind, text)).fingerprint == token.fingerprint)
    #expect(token.fingerprint.bytes.count == 32)
    #expect(!"\(token)".contains(text))
  }

  @Test("a thousand tokens are all different")
  func distinct() {
    #expect(Set((0..<1_000).map { _ in OpaqueToken.random(.refreshToken).fingerprint }).count == 1_000)
  }

  @Test("a token is invalid if any character is changed or removed, or if a character is added at an end")
  func checksum() {
    let text = OpaqueToken.random(.refreshToken).text.reveal()
    for index in text.indices {
      var changed = text
      changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
      #expect(OpaqueToken(.refreshToken, changed) == nil)
      var lost = text
      lost.remove(at: index)
      #expect(OpaqueToken(.refreshToken, lost) == nil)
    }
    for wrong in [text + "A", text + " ", " " + text, "", "slp_rt_", text.uppercased(), text + "\u{301}"] {
      #expect(OpaqueToken(.refreshToken, wrong) == nil)
    }
  }

  @Test("a token of one kind is not valid as another kind, even with the other kind's prefix")
  func kinds() {
    for kind in OpaqueToken.Kind.allCases {
      let text = OpaqueToken.random(kind).text.reveal()
      for other in OpaqueToken.Kind.allCases where other != kind {
        #expect(OpaqueToken(other, text) == nil)
        #expect(OpaqueToken(other, other.rawValue + text.dropFirst(kind.rawValue.count)) == nil)
      }
    }
  }
}
