import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

@Suite("A client that loses scopes during an interaction")
struct NarrowedClientTests {
  @Test("a scope that the operator removes during sign-in is neither shown nor granted")
  func narrowed() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      var client = try TestClient.loopback.record
      client.scope = "openid profile"
      try await site.add(client)
      let consent = try await browser.signIn(page)
      #expect(consent.isConsentPage && !consent.body.contains("email"))
      let code = try #require(try await browser.decide(consent, "allow").parameters["code"])
      let reply = try await site.redeem(code)
      #expect(reply.json["scope"] == "openid profile")
      #expect(reply.json["refresh_token"] == nil)
    }
  }
}
