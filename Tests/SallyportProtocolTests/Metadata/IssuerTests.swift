import SallyportProtocol
import Testing

struct IssuerTests {
  @Test("C-32: an issuer is kept as written, and two issuers are equal only if their text is identical")
  func identity() throws {
    let issuer = try Issuer("https://id.example/tenant")
    #expect(issuer.value == "https://id.example/tenant")
    for text in [
      "https://id.example/tenant/", "https://ID.example/tenant", "https://id.example:443/tenant", "https://id.example",
    ] {
      #expect(try Issuer(text) != issuer)
    }
  }

  @Test(
    "C-23: text that is not a valid issuer is rejected",
    arguments: [
      ("http://id.example", .plainHTTP), ("https://id.example?x", .malformed), ("https://id.example?", .malformed),
      ("https://id.example/#x", .fragment), ("https://u@id.example", .userInfo), ("id.example", .malformed), ("", .malformed),
      ("ftp://id.example", .scheme), (" https://id.example", .malformed),
    ] as [(String, EndpointURLError)])
  func refused(text: String, error: EndpointURLError) {
    #expect(throws: error) { try Issuer(text) }
  }

  @Test(
    "both metadata documents have the URLs that their specifications define",
    arguments: [
      (
        "https://id.example", "https://id.example/.well-known/openid-configuration",
        "https://id.example/.well-known/oauth-authorization-server"
      ),
      (
        "https://id.example/", "https://id.example/.well-known/openid-configuration",
        "https://id.example/.well-known/oauth-authorization-server"
      ),
      (
        "https://id.example:8443/a/b/", "https://id.example:8443/a/b/.well-known/openid-configuration",
        "https://id.example:8443/.well-known/oauth-authorization-server/a/b"
      ),
      (
        "http://localhost:8080", "http://localhost:8080/.well-known/openid-configuration",
        "http://localhost:8080/.well-known/oauth-authorization-server"
      ),
    ])
  func wellKnown(issuer: String, openID: String, oauth: String) throws {
    #expect(try WellKnown.openIDConfiguration(of: Issuer(issuer)) == openID)
    #expect(try WellKnown.oauthAuthorizationServer(of: Issuer(issuer)) == oauth)
  }
}
