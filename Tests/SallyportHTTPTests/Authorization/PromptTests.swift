import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("prompt and max_age")
struct PromptTests {
  @Test("S-41: prompt=none fails with login_required if no user is signed in")
  func noneSignedOut() async throws {
    try await withSite { site in
      let request = AuthorizeParameters(.claimedHTTPS).with("prompt", "none")
      try await site.expectingSameRowCounts {
        expectErrorRedirect(try await TestBrowser(site).authorize(request), "login_required", request)
      }
    }
  }

  @Test(
    """
    S-14, S-15, S-41: prompt=none succeeds for a claimed https redirect with remembered consent; without consent, or with a loopback \
    or private-use redirect, it fails with consent_required
    """
  )
  func noneSignedIn() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let claimed = AuthorizeParameters(.claimedHTTPS)
      _ = try await browser.complete(AuthorizeParameters(.loopback))
      expectErrorRedirect(
        try await browser.authorize(claimed.with("prompt", "none")), "consent_required", claimed)
      _ = try await browser.complete(claimed)
      #expect(try await browser.authorize(claimed.with("prompt", "none")).parameters["code"] != nil)
      for client in [TestClient.loopback, .privateUse] {
        let request = AuthorizeParameters(client).with("prompt", "none")
        _ = try await browser.complete(AuthorizeParameters(client))
        expectErrorRedirect(try await browser.authorize(request), "consent_required", request)
      }
    }
  }

  @Test(
    "S-41: prompt=login asks for the password again, once",
    arguments: ["login", "login consent"])
  func login(prompt: String) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.claimedHTTPS))
      site.fixture.clock.advance(by: .seconds(60))
      let page = try await browser.authorize(AuthorizeParameters(.claimedHTTPS).with("prompt", prompt))
      #expect(page.isSignInPage)
      var reply = try await browser.signIn(page)
      if prompt.contains("consent") {
        #expect(reply.isConsentPage)
        reply = try await browser.decide(reply, "allow")
      }
      let tokens = try Tokens(try await site.redeem(try #require(reply.parameters["code"]), .claimedHTTPS))
      #expect(try decodedClaims(of: tokens.id)["auth_time"] as? Int64 == site.fixture.clock.now.seconds)
    }
  }

  @Test("S-41: prompt=consent asks for consent again, even if it was remembered")
  func consent() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.claimedHTTPS))
      #expect(try await browser.authorize(AuthorizeParameters(.claimedHTTPS)).parameters["code"] != nil)
      #expect(try await browser.authorize(AuthorizeParameters(.claimedHTTPS).with("prompt", "consent")).isConsentPage)
    }
  }

  @Test("S-41: max_age requires a new sign-in if the last one is older, and auth_time is the time of the sign-in")
  func maxAge() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters(.claimedHTTPS).with("max_age", "100")
      _ = try await browser.complete(request)
      let signedInAt = site.fixture.clock.now
      site.fixture.clock.advance(by: .seconds(100))
      let reply = try await browser.authorize(request)
      let tokens = try Tokens(try await site.redeem(try #require(reply.parameters["code"]), .claimedHTTPS))
      #expect(try decodedClaims(of: tokens.id)["auth_time"] as? Int64 == signedInAt.seconds)
      site.fixture.clock.advance(by: .seconds(1))
      #expect(try await browser.authorize(request).isSignInPage)
      let silent = request.with("prompt", "none")
      expectErrorRedirect(try await browser.authorize(silent), "login_required", silent)
      #expect(try await browser.authorize(request.with("max_age", "0")).isSignInPage)
    }
  }

  @Test("S-41: the CSRF token of an earlier consent page cannot complete a request with prompt=login")
  func noWayAroundLogin() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let consent = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      let csrf = try #require(consent.csrf)
      site.fixture.clock.advance(by: .seconds(1))
      let page = try await browser.authorize(AuthorizeParameters().with("prompt", "login"))
      let sealed = try #require(page.sealedInteraction)
      try await site.expectingSameRowCounts {
        let reply = try await browser.post("/interaction/consent?i=\(sealed)", [("csrf", csrf), ("decision", "allow")])
        #expect(reply.parameters["code"] == nil)
        #expect(try await browser.open("/interaction?i=\(sealed)").isSignInPage)
      }
    }
  }
}
