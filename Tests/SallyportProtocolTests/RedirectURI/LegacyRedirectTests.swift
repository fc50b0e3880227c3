import SallyportProtocol
import Testing

@Suite("Redirect URIs of existing apps")
struct LegacyRedirectTests {
  @Test(
    "C-06, C-07: a private-use redirect that doesn't follow RFC 8252 §7.1 is accepted only as insecureLegacyRedirect",
    arguments: [
      ("myapp://callback", .schemeWithoutPeriod), ("myapp:/callback", .schemeWithoutPeriod),
      ("com.example.app://auth.example/path", .notSingleSlash), ("msauth.com.example.app://auth", .notSingleSlash),
    ] as [(String, RedirectURIError)])
  func legacy(text: String, error: RedirectURIError) throws {
    #expect(throws: error) { try RedirectURI(text) }
    let redirectURI = try RedirectURI(insecureLegacyRedirect: text)
    #expect(redirectURI.value == text && redirectURI.kind == .privateUse)
  }

  @Test(
    "C-07: insecureLegacyRedirect relaxes no other rule",
    arguments: [
      ("javascript:/alert", .registeredScheme), ("mailto:/a", .registeredScheme), ("file:///etc/passwd", .registeredScheme),
      ("http://example.com/callback", .plainHTTP), ("myapp:callback", .notSingleSlash), ("myapp://", .notSingleSlash),
      ("myapp://callback#x", .fragment), ("myapp://user@callback", .userInfo), ("myapp://host/a/../b", .dotSegment),
      ("my app://callback", .malformed), ("callback", .malformed),
    ] as [(String, RedirectURIError)])
  func rejected(text: String, error: RedirectURIError) {
    #expect(throws: error) { try RedirectURI(insecureLegacyRedirect: text) }
  }

  @Test("insecureLegacyRedirect does not change the kind of a redirect URI that follows the rules")
  func others() throws {
    #expect(try RedirectURI(insecureLegacyRedirect: "https://app.example/callback").kind == .https)
    #expect(try RedirectURI(insecureLegacyRedirect: "http://127.0.0.1/callback").kind == .loopback(.ipv4))
    #expect(try RedirectURI(insecureLegacyRedirect: "com.example.app:/callback").kind == .privateUse)
  }
}
