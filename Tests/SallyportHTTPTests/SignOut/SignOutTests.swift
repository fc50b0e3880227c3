import HTTPTypes
import ServerTestSupport
import Testing

@Suite("Signing out")
struct SignOutTests {
  @Test("the button on the sign-out page signs the user out, and the server ends the session")
  func signsOut() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters())
      let stolen = browser.cookies
      let page = try await browser.get("/sign-out")
      #expect(page.body.contains("ada"))
      let reply = try await browser.submit(page, [])
      #expect(reply.body.contains("You are signed out"))
      // The remaining cookie only marks the browser as known, and signs no one in.
      #expect(Set(browser.cookies.keys) == ["__Host-sallyport-browser"])
      browser.cookies = stolen
      #expect(try await browser.authorize(AuthorizeParameters()).isSignInPage)
      // The app has offline_access, so it stays signed in.
      #expect(try site.fixture.revocations().isEmpty)
    }
  }

  @Test(
    "another site, or a form of another page or session, cannot sign the user out",
    arguments: [
      [.origin: "https://evil.example"], [:], [.origin: "null"], [.secFetchSite: "cross-site"],
    ] as [HTTPFields])
  func crossOrigin(headers: HTTPFields) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let consent = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      let other = TestBrowser(site)
      _ = try await other.signIn(try await other.authorize(AuthorizeParameters()), as: "bob")
      let csrf = try #require(try await browser.get("/sign-out").csrf)
      let otherCSRF = try #require(try await other.get("/sign-out").csrf)
      _ = try await browser.post("/sign-out", [("csrf", csrf)], headers: headers)
      // The response is the sign-out page again, with the same token.
      for wrong in [otherCSRF, consent.csrf ?? "", "", "x"] {
        #expect(try await browser.post("/sign-out", [("csrf", wrong)]).csrf == csrf)
      }
      _ = try await browser.get("/sign-out?csrf=\(csrf)")
      #expect(try await browser.authorize(AuthorizeParameters()).isConsentPage)
    }
  }

  @Test("the home page shows who is signed in, and the sign-out page says if no one is")
  func home() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      // No one is signed in, so the home page has no sign-out form.
      #expect(try await browser.get("/").csrf == nil)
      _ = try await browser.complete(AuthorizeParameters())
      #expect(try await browser.get("/").body.contains("ada"))
      #expect(try await TestBrowser(site).get("/sign-out").body.contains("signed out"))
    }
  }
}
