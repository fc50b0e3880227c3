import SallyportProtocol
import Testing

struct AuthorizationTokenTests {
  @Test(
    "RFC 6750 §2.1: the token is one word, after a scheme in any case and one or more spaces",
    arguments: ["Bearer abc", "bearer abc", "BEARER  abc"])
  func bearer(_ field: String) {
    let token = AuthorizationToken(field)
    #expect(token?.scheme == .bearer && token?.token.reveal() == "abc")
  }

  @Test("RFC 9449 §7.1: DPoP is a separate scheme")
  func dpop() {
    let token = AuthorizationToken("DPoP abc")
    #expect(token?.scheme == .dpop && token?.token.reveal() == "abc")
  }

  @Test(
    "a field that is not a Bearer or DPoP scheme followed by one word contains no token",
    arguments: ["", "Bearer", "Bearer ", " Bearer abc", "Bearer abc ", "Bearer a b", "Basic abc", "abc"])
  func others(_ field: String) {
    #expect(AuthorizationToken(field) == nil)
  }
}
