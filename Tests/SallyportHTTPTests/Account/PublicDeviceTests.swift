import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing
import WebAuthnTestSupport

@Suite("Sign-in on a device that belongs to someone else")
struct PublicDeviceTests {
  /// The selected checkbox "This is not my device", which the titles of the tests call the choice.
  private static let checkbox = ("public-device", "on")
  private static let session = "__Host-sallyport"

  /// Signs in on the account page with the checkbox selected, and returns the `Set-Cookie` field of the session.
  @discardableResult
  private func signIn(_ browser: TestBrowser, as username: String = "ada") async throws -> String {
    let page = try await browser.open("/account/sign-in?for=another-account")
    let reply = try await browser.post(
      try #require(page.formAction),
      [("csrf", try #require(page.csrf)), ("username", username), ("password", TestServer.password), Self.checkbox])
    return try #require(reply.headers[values: .setCookie].first { $0.hasPrefix("\(Self.session)=") })
  }

  @Test(
    "the session cookie lasts until the browser is closed, and no other cookie remembers the user or marks the browser as known")
  func cookies() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let cookie = try await self.signIn(browser)
      #expect(!cookie.contains("Max-Age") && !cookie.contains("Expires") && cookie.contains("HttpOnly"))
      #expect(Set(browser.cookies.keys) == [Self.session])
      // A browser on the user's own device also has the other two cookies.
      let own = TestBrowser(site)
      try await own.openAccount()
      #expect(own.cookies.count == 3)
    }
  }

  @Test("the session ends after an hour without use")
  func idle() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await self.signIn(browser)
      for _ in 0..<4 {
        site.fixture.clock.advance(by: .seconds(1_800))
        #expect(try await browser.get("/account").isAccountPage)
      }
      site.fixture.clock.advance(by: .seconds(3_600))
      #expect(try await browser.get("/account").isSignInPage)
    }
  }

  @Test("the session ends after eight hours, even if it is used")
  func absolute() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await self.signIn(browser)
      for _ in 0..<15 {
        site.fixture.clock.advance(by: .seconds(1_800))
        #expect(try await browser.get("/account").isAccountPage)
      }
      site.fixture.clock.advance(by: .seconds(1_800))
      #expect(try await browser.get("/account").isSignInPage)
    }
  }

  @Test("the account page shows that the session is on a device that belongs to someone else")
  func accountPage() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await self.signIn(browser)
      #expect(try await browser.get("/account").body.contains(#"<span class="badge">not your device</span>"#))
      #expect(try await !TestBrowser(site).openAccount(as: "bob").body.contains("not your device"))
    }
  }

  @Test("the choice survives a failed attempt, and the confirmation of a sensitive change")
  func survives() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.open("/account")
      #expect(!page.body.contains(" checked>"))
      let failed = try await browser.submit(page, [("username", "ada"), ("password", "wrong"), Self.checkbox])
      #expect(failed.body.contains(" checked> This is not my device"))
      try await self.signIn(browser)
      site.fixture.clock.advance(by: .seconds(601))
      let confirmation = try await browser.open("/account/sign-in?for=password")
      #expect(confirmation.isSignInPage && !confirmation.body.contains("This is not my device"))
      _ = try await browser.signIn(confirmation)
      #expect(Set(browser.cookies.keys) == [Self.session])
      #expect(try await site.fixture.server.sessions.active(browser.session)?.record.isOnPublicDevice == true)
    }
  }

  @Test("the choice survives a new password on the account page, which does not extend the eight hours")
  func survivesOwnNewPassword() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await self.signIn(browser)
      let expiration = try await site.fixture.server.sessions.active(browser.session)?.record.expiresAt
      site.fixture.clock.advance(by: .seconds(300))
      let password = TestServer.otherPassword
      let page = try await browser.submit(
        try await browser.open("/account/password"), [("new-password", password), ("new-password-repeat", password)])
      #expect(page.isAccountPage && page.body.contains("not your device"))
      #expect(Set(browser.cookies.keys) == [Self.session])
      let session = try #require(try await site.fixture.server.sessions.active(browser.session)).record
      #expect(session.isOnPublicDevice && session.expiresAt == expiration)
    }
  }

  @Test("the choice survives the entry of an authenticator app's code, even after a wrong code")
  func survivesCode() async throws {
    try await withSite { site in
      let (app, _) = try await TestBrowser(site).addApp()
      let browser = TestBrowser(site)
      let page = try await browser.submit(
        try await browser.authorize(AuthorizeParameters()),
        [("username", "ada"), ("password", TestServer.password), Self.checkbox])
      #expect(page.isCodePage && page.hidden("public-device") == "on")
      let wrong = try await browser.enterOnPublicDevice("000000", on: page)
      #expect(wrong.isCodePage && wrong.hidden("public-device") == "on")
      _ = try await browser.enterOnPublicDevice(app.code(at: site.fixture.clock.now), on: wrong)
      #expect(Set(browser.cookies.keys) == [Self.session])
      #expect(try await site.fixture.server.sessions.active(browser.session)?.record.isOnPublicDevice == true)
    }
  }

  @Test("the choice survives a required new password")
  func survivesNewPassword() async throws {
    try await withSite { site in
      try await site.useWeakPassword()
      let browser = TestBrowser(site)
      let signIn = try await browser.authorize(AuthorizeParameters())
      let page = try await browser.submit(signIn, [("username", "ada"), ("password", Site.weakPassword), Self.checkbox])
      let proof = try #require(page.hidden("proof"))
      #expect(page.hidden("public-device") == "on")
      let password = TestServer.otherPassword
      let fields = [("proof", proof), ("new-password", password), ("new-password-repeat", password)]
      #expect(try await browser.submit(page, fields + [Self.checkbox]).isConsentPage)
      #expect(Set(browser.cookies.keys) == [Self.session])
      #expect(try await site.fixture.server.sessions.active(browser.session)?.record.isOnPublicDevice == true)
    }
  }

  @Test("the choice survives a new password that is required when the user confirms a change")
  func survivesNewPasswordAtConfirmation() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await self.signIn(browser)
      try await site.useWeakPassword()
      site.fixture.clock.advance(by: .seconds(601))
      let confirmation = try await browser.open("/account/sign-in?for=password")
      let page = try await browser.submit(confirmation, [("username", "ada"), ("password", Site.weakPassword)])
      let proof = try #require(page.hidden("proof"))
      let password = TestServer.otherPassword
      _ = try await browser.submit(page, [("proof", proof), ("new-password", password), ("new-password-repeat", password)])
      #expect(Set(browser.cookies.keys) == [Self.session])
      #expect(try await site.fixture.server.sessions.active(browser.session)?.record.isOnPublicDevice == true)
    }
  }

  @Test("the choice applies to a sign-in with a passkey, whose form the script fills in")
  func passkey() async throws {
    try await withSite { site in
      var authenticator = try SoftwareAuthenticator(origin: site.issuer.origin)
      _ = try await TestBrowser(site).addPasskey(&authenticator)
      let browser = TestBrowser(site)
      let form = try #require(PasskeyFormFields(try await browser.open("/account")))
      let response = String(decoding: try TestBrowser.response(to: form, with: &authenticator), as: UTF8.self)
      _ = try await browser.post(
        form.action, [("csrf", form.csrf), ("challenge", form.challenge), ("response", response), Self.checkbox])
      #expect(Set(browser.cookies.keys) == [Self.session])
      #expect(try await site.fixture.server.sessions.active(browser.session)?.record.isOnPublicDevice == true)
    }
  }

  @Test("the choice also applies to the sign-in for a device that shows a code")
  func device() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let code = try await site.beginDevice().userCode
      let page = try await browser.submit(try await browser.open("/device"), [("user_code", code)])
      #expect(page.body.contains("This is not my device"))
      let consent = try await browser.submit(page, [("username", "ada"), ("password", TestServer.password), Self.checkbox])
      #expect(consent.isConsentPage && Set(browser.cookies.keys) == [Self.session])
      #expect(try await site.fixture.server.sessions.active(browser.session)?.record.isOnPublicDevice == true)
    }
  }

  @Test(
    "if the device's owner is also signed in, the cookie with both sessions lasts until the browser is closed; the owner's name is kept"
  )
  func besideOwner() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      try await browser.openAccount(as: "bob")
      let cookie = try await self.signIn(browser)
      #expect(!cookie.contains("Max-Age"))
      let sessions = try await site.fixture.server.sessions.all(browser.session)
      #expect(sessions.map(\.record.isOnPublicDevice) == [true, false])
      let page = try await browser.open("/account/accounts")
      _ = try await browser.submit(page, [("remove", "ada")])
      browser.cookies[Self.session] = nil
      #expect(try await browser.open("/account/accounts").body.contains("Sign in as <bdi>bob</bdi>"))
    }
  }
}

extension TestBrowser {
  /// Submits the page that asks for a code, with its hidden field for a device that belongs to someone else.
  fileprivate func enterOnPublicDevice(_ code: String, on page: Reply) async throws -> Reply {
    try await self.submit(
      page,
      [
        ("state", try #require(page.hidden("state"))), ("code", code),
        ("public-device", try #require(page.hidden("public-device"))),
      ])
  }
}
