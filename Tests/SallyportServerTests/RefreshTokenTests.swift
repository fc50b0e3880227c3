import SallyportProtocol
import SallyportServer
import Testing

@Suite("Format of refresh tokens")
struct RefreshTokenTests {
  private let secret = OpaqueToken.random(.refreshToken)

  @Test("a token contains its grant ID and its number, and can be parsed", arguments: [1, 12, 0, -1, .max, .min])
  func format(number: Int64) throws {
    let id = RefreshTokenID(grant: GrantID(rawValue: "0199-Ab_c"), number: number)
    let text = RefreshToken(self.secret, id).text.reveal()
    #expect(text == "\(self.secret.text.reveal()).0199-Ab_c~\(number)")
    let parsed = try #require(RefreshToken(text))
    #expect(parsed.id == id && parsed.fingerprint == self.secret.fingerprint)
  }

  @Test("a token without a grant ID, as an earlier version issued it, can be parsed")
  func unnamed() throws {
    let parsed = try #require(RefreshToken(self.secret.text.reveal()))
    #expect(parsed.id == nil && parsed.text.reveal() == self.secret.text.reveal())
  }

  @Test(
    "a malformed identifier is rejected, and so is a number that is not in its shortest form",
    arguments: [
      "", "g", "g~", "~1", "g~x", "g~1~1", "g~+1", "g~01", "g~-0", "g~ 1", "g~1 ", "g~1.g~1", "g~9223372036854775808",
      "g~-9223372036854775809", "\(String(repeating: "g", count: 63))~1",
    ])
  func malformed(identifier: String) {
    #expect(RefreshToken("\(self.secret.text.reveal()).\(identifier)") == nil)
  }

  @Test("an identifier of 64 bytes, the maximum, is accepted")
  func longest() {
    #expect(RefreshToken("\(self.secret.text.reveal()).\(String(repeating: "g", count: 62))~1") != nil)
  }

  @Test("an identifier does not make an invalid token valid")
  func otherSecrets() {
    for kind in OpaqueToken.Kind.allCases where kind != .refreshToken {
      #expect(RefreshToken("\(OpaqueToken.random(kind).text.reveal()).g~1") == nil)
    }
    #expect(RefreshToken("\(self.secret.text.reveal().dropLast()).g~1") == nil)
  }
}
