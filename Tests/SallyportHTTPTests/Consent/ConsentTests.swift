import SallyportProtocol
import ServerTestSupport
import Testing

@Suite("Consent")
struct ConsentTests {
  @Test(
    "S-14: a client whose identity cannot be proved requires consent each time",
    arguments: [
      (TestClient.loopback, "http://127.0.0.1:51004/cb"), (.loopback, "http://[::1]:51004/cb"),
      (.localhost, "http://localhost:8000/cb"),
      (.privateUse, "com.example.app:/cb"), (.staticSecret, "http://127.0.0.1:51004/cb"),
    ])
  func isAskedAgain(client: TestClient, redirectURI: String) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters(client, redirectURI: redirectURI)
      _ = try await browser.complete(request)
      let page = try await browser.authorize(request)
      #expect(page.isConsentPage)
      #expect(page.body.contains("so you are asked each time"))
      #expect(try site.fixture.rows()["consent"] == 0)
    }
  }

  @Test("S-15: a claimed https redirect needs consent again only for additional scopes")
  func remembersClaimed() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters(.claimedHTTPS).with("scope", "openid email")
      #expect(try await browser.signIn(try await browser.authorize(request)).isConsentPage)
      _ = try await browser.complete(request)
      #expect(try await browser.authorize(request).parameters["code"] != nil)
      #expect(try await browser.authorize(request.with("scope", "openid")).parameters["code"] != nil)
      let withNotes = request.with("scope", "openid notes")
      #expect(try await browser.authorize(withNotes).isConsentPage)
      _ = try await browser.complete(withNotes)
      #expect(try await browser.authorize(request.with("scope", "openid email notes")).parameters["code"] != nil)
    }
  }

  @Test("the consent page marks only the scopes to which the user has not consented before")
  func marksNewScopes() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters(.claimedHTTPS).with("scope", "openid email")
      let first = try await browser.signIn(try await browser.authorize(request))
      #expect(first.isConsentPage && !first.body.contains("badge new"))
      _ = try await browser.decide(first, "allow")
      let page = try await browser.authorize(request.with("scope", "openid email notes"))
      let scopes = page.body.matches(of: /<li>(.*)<\/li>/).map { String($0.1) }
      let marked = scopes.filter { $0.contains("badge new") }
      #expect(page.isConsentPage && scopes.count >= 3)
      #expect(marked.count == 1 && marked.first?.contains("notes") == true)
    }
  }

  @Test("S-15: consent for an https redirect covers no loopback redirect, no other app, and no other user")
  func boundToRedirectClientAndUser() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.both))
      #expect(try await browser.authorize(AuthorizeParameters(.both)).parameters["code"] != nil)
      #expect(try await browser.authorize(AuthorizeParameters(.both, redirectURI: "http://127.0.0.1:3/cb")).isConsentPage)
      #expect(try await browser.authorize(AuthorizeParameters(.claimedHTTPS)).isConsentPage)
      let other = TestBrowser(site)
      #expect(try await other.signIn(try await other.authorize(AuthorizeParameters(.both)), as: "bob").isConsentPage)
    }
  }

  @Test(
    "S-21: a denial, or any decision but allow, causes access_denied and no code",
    arguments: [
      "deny", nil, "", "ALLOW", "allow ", "yes", "1",
    ])
  func denied(decision: String?) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters()
      let page = try await browser.signIn(try await browser.authorize(request))
      let before = try site.fixture.rows()
      expectErrorRedirect(try await browser.decide(page, decision), "access_denied", request)
      // The only new row says that the interaction has been used.
      var after = try site.fixture.rows()
      #expect(after["burned_interaction"] == 1)
      after["burned_interaction"] = 0
      #expect(after == before)
      // Posting the same page again does not change the decision.
      expectErrorPage(try await browser.decide(page, "allow"))
    }
  }

  @Test(
    "S-26: the consent page names the app, where the response goes, the scopes, and the account",
    arguments: [
      (TestClient.loopback, "http://127.0.0.1:51004/cb", "at port 51004"),
      (.privateUse, "com.example.app:/cb", "com.example.app:"),
      (.claimedHTTPS, "https://app.example/cb", "app.example"),
    ])
  func pageSays(client: TestClient, redirectURI: String, destination: String) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters(client, redirectURI: redirectURI)
      let page = try await browser.signIn(try await browser.authorize(request))
      for text in ["Notes", destination, "email", "ada"] { #expect(page.body.contains(text)) }
      #expect(!page.body.contains("unverified"))
    }
  }
}
