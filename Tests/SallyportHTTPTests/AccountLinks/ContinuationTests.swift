import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Continuing an app's request after a new password")
struct ContinuationTests {
  private static let cookie = "__Host-sallyport-continuation"

  /// Follows "Forgot your password?" on the sign-in page of an app's request, and returns the address of the mailed
  /// link.
  private func link(_ browser: TestBrowser, client: TestClient = .claimedHTTPS) async throws -> String {
    let signIn = try await browser.authorize(AuthorizeParameters(client))
    let address = try #require(signIn.body.firstMatch(of: /href="([^"]*)">Forgot your password/)).1
    _ = try await browser.submit(try await browser.open(String(address)), [("username", "ada")])
    return try await self.mailedLink(browser.site)
  }

  private func mailedLink(_ site: Site) async throws -> String {
    try #require(try await site.deliverMail().compactMap(\.link).last)
  }

  /// Opens a link, and chooses a password.
  private func reset(_ link: String, _ browser: TestBrowser) async throws -> Reply {
    let page = try await browser.use(link)
    let password = TestServer.otherPassword
    return try await browser.submit(page, [("new-password", password), ("new-password-repeat", password)])
  }

  @Test("the user lands on the sign-in page of the app's request, with the name filled in, and continues to the app")
  func continues() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      let page = try await self.reset(try await self.link(browser), browser)
      #expect(page.isSignInPage && page.sealedInteraction != nil && page.body.contains(#"value="ada""#))
      #expect(browser.session == nil && browser.cookies[Self.cookie] == nil)
      let consent = try await browser.signIn(page, password: TestServer.otherPassword)
      #expect(try await browser.decide(consent, "allow").parameters["code"] != nil)
    }
  }

  @Test("in another browser, no request continues, and the page says to go back to the app")
  func otherBrowser() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      let link = try await self.link(browser)
      let other = TestBrowser(site)
      let page = try await self.reset(link, other)
      #expect(page.body.contains("go back to the app") && page.sealedInteraction == nil && other.session == nil)
      #expect(browser.cookies[Self.cookie] != nil && other.cookies[Self.cookie] == nil)
    }
  }

  @Test("a request that has expired does not continue")
  func expired() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      let link = try await self.link(browser)
      site.fixture.clock.advance(by: .seconds(1_801))
      #expect(try await self.reset(link, browser).body.contains("go back to the app"))
    }
  }

  @Test("a user who is signed in with another account must sign in before the request continues")
  func otherUserIsSignedIn() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      let link = try await self.link(browser)
      _ = try await browser.openAccount(as: "bob")
      site.fixture.clock.advance(by: .seconds(1))
      #expect(try await self.reset(link, browser).isSignInPage)
    }
  }

  @Test(
    "a request in the address or the cookie is ignored if this server did not seal it",
    arguments: ["https://evil.example/", "//evil.example", "x", ""])
  func forged(value: String) async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      let page = try await browser.open("/account/forgot-password?\(FormParameters.encode([("i", value)]))")
      #expect(page.formAction == "/account/forgot-password" && !page.body.contains("evil"))
      let reply = try await browser.submit(page, [("username", "ada")])
      #expect(reply.headers[values: .setCookie].isEmpty)
      browser.cookies[Self.cookie] = value
      let done = try await self.reset(try await self.mailedLink(site), browser)
      #expect(done.status == .ok && done.location == nil && done.body.contains("go back to the app"))
    }
  }

  @Test("another site cannot store a request in the browser, and a form without a request removes an earlier request")
  func storing() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      let sealed = try #require(try await browser.authorize(AuthorizeParameters()).sealedInteraction)
      let page = try await browser.open("/account/forgot-password?i=\(sealed)")
      let form = [("csrf", try #require(page.csrf)), ("username", "ada")]
      let action = try #require(page.formAction)
      for headers: HTTPFields in [[.origin: "https://evil.example"], [.origin: "null"], [:]] {
        _ = try await browser.post(action, form, headers: headers)
        #expect(browser.cookies[Self.cookie] == nil)
      }
      let reply = try await browser.post(action, form)
      let cookie = try #require(reply.headers[.setCookie])
      #expect(cookie.hasPrefix("\(Self.cookie)=") && cookie.contains("Max-Age=1800"))
      #expect(cookie.contains("HttpOnly") && cookie.contains("Secure") && cookie.contains("SameSite=Strict"))
      _ = try await browser.submit(try await browser.open("/account/forgot-password"), [("username", "ada")])
      #expect(browser.cookies[Self.cookie] == nil)
    }
  }
}
