import ServerTestSupport
import Testing

@Suite("Clients that registered themselves")
struct UnverifiedRedirectTests {
  static let redirects = ["https://self.example/cb", "http://127.0.0.1:51004/cb", "com.example.self:/cb"]
  static let changes: [@Sendable (AuthorizeParameters) -> AuthorizeParameters] = [
    { $0.with("scope", "admin") }, { $0.with("response_type", "token") }, { $0.with("response_type", nil) },
    { $0.with("code_challenge", nil) }, { $0.with("prompt", "none") }, { $0.repeating("state", "x") },
    { $0.with("request", "x") },
    { $0.with("max_age", "x") },
  ]

  @Test(
    "S-31, S-28: if a request of a self-registered client fails, the user sees an error page and is not redirected",
    arguments: redirects)
  func noAutomaticRedirect(redirectURI: String) async throws {
    try await withSite { site in
      let (newBrowser, signedInBrowser) = (TestBrowser(site), TestBrowser(site))
      _ = try await signedInBrowser.complete(AuthorizeParameters(.claimedHTTPS))
      let request = AuthorizeParameters(.dynamic, redirectURI: redirectURI)
      _ = try await signedInBrowser.complete(request)
      try await site.expectingSameRowCounts {
        for change in Self.changes {
          expectErrorPage(try await newBrowser.authorize(change(request)))
          expectErrorPage(try await signedInBrowser.authorize(change(request)))
        }
      }
    }
  }

  @Test(
    "S-15, S-26, S-31: the user is asked for consent again, sees that the app is unverified, and is redirected after a click",
    arguments: redirects, ["allow", "deny"])
  func onlyByClick(redirectURI: String, decision: String) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters(.dynamic, redirectURI: redirectURI)
      _ = try await browser.complete(request)
      let page = try await browser.authorize(request)
      #expect(page.isConsentPage)
      #expect(page.body.contains("unverified"))
      let reply = try await browser.decide(page, decision)
      #expect(reply.location?.hasPrefix(redirectURI + "?") == true)
      #expect((reply.parameters["code"] != nil) == (decision == "allow"))
      #expect(reply.parameters["error"] == (decision == "allow" ? nil : "access_denied"))
      #expect(try site.fixture.rows()["consent"] == 0)
    }
  }
}
