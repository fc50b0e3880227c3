import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing
import WebAuthnTestSupport

@Suite("What a user entered before signing in again")
struct AccountDraftTests {
  private static let cookie = "__Host-sallyport-draft"
  private static let fields = [("action", "change-email"), ("email", "new@example.com")]

  /// Submits the new email address more than ten minutes after the last sign-in.
  /// - Returns: The page that asks the user to sign in again.
  private func submitEmail(_ browser: TestBrowser) async throws -> Reply {
    browser.site.fixture.clock.advance(by: .seconds(601))
    let page = try await browser.open(try #require(try await browser.postAccount("email", Self.fields).location))
    #expect(page.isSignInPage)
    return page
  }

  private func hasDraft(_ page: Reply) -> Bool {
    page.isAccountPage && page.body.contains(#"name="email" type="email" value="new@example.com""#)
  }

  @Test("after the sign-in, the form contains the new email address, which changes only when the user submits it")
  func email() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      let page = try await browser.signIn(try await self.submitEmail(browser))
      #expect(self.hasDraft(page))
      #expect(try await site.deliverMail().isEmpty)
      let reply = try await browser.postAccount("email", Self.fields)
      #expect(reply.location?.contains("status=email-link-sent") == true && browser.cookies[Self.cookie] == nil)
      #expect(try await site.deliverMail().count == 1)
      #expect(try await !self.hasDraft(browser.open("/account")))
    }
  }

  @Test("the form contains the new email address after a sign-in with a code, and through an upstream")
  func otherSignIns() async throws {
    try await withUpstream(configure: { $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) } }) {
      site, upstream in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      _ = try await browser.connect(upstream)
      let confirmation = try await self.submitEmail(browser)
      upstream.change { $0.claims = ["auth_time": .integer(site.fixture.clock.now.seconds)] }
      #expect(try await self.hasDraft(browser.signIn(through: upstream, on: confirmation)))

      let (app, _) = try await browser.addApp()
      let codePage = try await browser.signIn(try await self.submitEmail(browser))
      #expect(try await self.hasDraft(browser.enter(app.code(at: site.fixture.clock.now), on: codePage)))
    }
  }

  @Test("the form contains the new name of a passkey")
  func passkeyName() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: "https://id.example")
      let browser = TestBrowser(site)
      _ = try await browser.addPasskey(&authenticator)
      site.fixture.clock.advance(by: .seconds(601))
      let id = Base64URL.encode(authenticator.credentialID)
      let reply = try await browser.postAccount("passkey", [("action", "rename"), ("passkey", id), ("name", "<My> key")])
      let page = try await browser.signIn(try await browser.open(try #require(reply.location)), with: &authenticator)
      #expect(page.body.contains("<details open>") && page.body.contains(#"value="&lt;My&gt; key""#))
      #expect(!page.body.contains("<strong><bdi>&lt;My&gt; key"))
    }
  }

  @Test("a draft is valid only in its session and for 15 minutes, and cannot be forged")
  func binding() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      try await browser.openAccount()
      let confirmation = try await self.submitEmail(browser)
      let draft = try #require(browser.cookies[Self.cookie])
      #expect(!draft.contains("new"))
      for other in ["ada", "bob"] {
        let thief = TestBrowser(site)
        thief.cookies[Self.cookie] = draft
        #expect(try await !self.hasDraft(thief.openAccount(as: other)))
      }
      browser.cookies[Self.cookie] = (draft.hasPrefix("x") ? "y" : "x") + draft.dropFirst()
      #expect(try await !self.hasDraft(browser.signIn(confirmation)))
      browser.cookies[Self.cookie] = draft
      #expect(try await self.hasDraft(browser.open("/account")))
      site.fixture.clock.advance(by: .seconds(900))
      #expect(try await !self.hasDraft(browser.open("/account")))
    }
  }

  @Test("passwords, codes, long values, and forms that another site posted or that lack the CSRF token are not kept")
  func exceptions() async throws {
    try await withMail { site in
      let browser = TestBrowser(site)
      let csrf = try #require(try await browser.openAccount().accountCSRF)
      let password = try #require(try await browser.get("/account/password").csrf)
      let authenticator = try #require(try await browser.get("/account/authenticator").csrf)
      site.fixture.clock.advance(by: .seconds(601))
      let forms: [(path: String, csrf: String, fields: [(String, String)])] = [
        ("password", password, [("new-password", TestServer.otherPassword), ("new-password-repeat", TestServer.otherPassword)]),
        ("authenticator", authenticator, [("code", "123456"), ("enrollment", "x")]),
      ]
      for (path, csrf, fields) in forms {
        let reply = try await browser.post("/account/\(path)", [("csrf", csrf)] + fields)
        #expect(reply.location?.contains("/account/sign-in?for=") == true && browser.cookies[Self.cookie] == nil)
      }
      let forged: HTTPFields = [.origin: "https://evil.example"]
      _ = try await browser.post("/account/email", [("csrf", csrf)] + Self.fields, headers: forged)
      _ = try await browser.post("/account/email", Self.fields)
      let long = String(repeating: "x", count: 3_000)
      _ = try await browser.post("/account/email", [("csrf", csrf), ("action", "change-email"), ("email", long)])
      #expect(browser.cookies[Self.cookie] == nil)
    }
  }
}
