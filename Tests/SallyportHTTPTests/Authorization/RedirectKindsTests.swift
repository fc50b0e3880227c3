import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

@Suite("Complete flows with each kind of redirect URI")
struct RedirectKindsTests {
  /// Clients, and redirect URIs that match the URIs in their registrations.
  static let redirects: [(client: TestClient, redirectURI: String)] = [
    (.loopback, "http://127.0.0.1:51004/cb"), (.loopback, "http://127.0.0.1/cb"), (.loopback, "http://[::1]:51004/cb"),
    (.loopback, "http://[::1]/cb"), (.loopback, "http://127.0.0.1:65535/cb?app=1"), (.privateUse, "com.example.app:/cb"),
    (.claimedHTTPS, "https://app.example/cb"), (.both, "https://app.example/cb"), (.both, "http://127.0.0.1:2/cb"),
    (.localhost, "http://localhost:8000/cb"), (.web, "https://web.example/cb"), (.rs256, "http://127.0.0.1:51004/cb"),
    (.staticSecret, "http://[::1]:51004/cb"),
  ]

  @Test("S-01, S-06, S-07, S-11, S-21, S-30: with every kind of redirect URI, a sign-in ends with tokens", arguments: redirects)
  func wholeFlow(client: TestClient, redirectURI: String) async throws {
    try await withSite { site in
      let request = AuthorizeParameters(client, redirectURI: redirectURI)
      let reply = try await TestBrowser(site).complete(request)
      #expect(reply.status == .seeOther)
      #expect(reply.location?.hasPrefix(redirectURI + (redirectURI.contains("?") ? "&" : "?")) == true)
      #expect(reply.parameters["iss"] == "https://id.example")
      #expect(reply.parameters["state"] == "af0ifjsldkj")
      #expect(reply.parameters["error"] == nil)

      let code = try #require(reply.parameters["code"])
      let response = try await site.redeem(code, client, changing: ["redirect_uri": redirectURI])
      #expect(response.status == .ok)
      #expect(response.headers[.cacheControl] == "no-store")
      #expect(response.json["token_type"] == "Bearer")
      #expect(response.json["scope"] == "openid profile email offline_access")
      let tokens = try Tokens(response)
      let claims = try decodedClaims(of: tokens.id)
      #expect(claims["aud"] as? String == client.rawValue)
      #expect(claims["iss"] as? String == "https://id.example")
      #expect(claims["nonce"] as? String == "n-0S6_WzA2Mj")
      #expect(try await site.userinfo(tokens.access).json["preferred_username"] == "ada")
      #expect(try await site.refresh(tokens.refresh, client).status == .ok)
      #expect(try site.fixture.revocations().isEmpty)
    }
  }

  @Test("S-27: a signed-in user needs no password for the next app, only consent")
  func singleSignOn() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.loopback))
      let second = try await browser.authorize(AuthorizeParameters(.privateUse))
      #expect(second.isConsentPage)
      #expect(try await browser.decide(second, "allow").location?.hasPrefix("com.example.app:/cb?code=") == true)
    }
  }

  @Test("S-19: a request that began in one browser can be completed in another browser, which has no cookies of the first")
  func movesToAnotherBrowser() async throws {
    try await withSite { site in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters())
      let other = TestBrowser(site)
      let reopened = try await other.open("/interaction?i=\(try #require(page.sealedInteraction))")
      let reply = try await other.decide(try await other.signIn(reopened), "allow")
      #expect(try await site.redeem(try #require(reply.parameters["code"])).status == .ok)
    }
  }
}
