import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportHTTP
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Two-step verification")
struct TwoStepTests {
  @Test("after the password, a user enters a code of the authenticator app, and the client's tokens have the acr of two factors")
  func signIn() async throws {
    try await withSite { site in
      let (app, codes) = try await TestBrowser(site).addApp()
      #expect(codes.count == 10 && Set(codes).count == 10)
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      #expect(page.isCodePage && page.status == .ok && browser.session == nil)
      #expect(page.body.contains(#"autocomplete="one-time-code""#) && page.body.contains(#"inputmode="numeric""#))
      let consent = try await browser.enter(app.code(at: site.fixture.clock.now), on: page)
      #expect(consent.isConsentPage)
      let code = try #require(try await browser.decide(consent, "allow").parameters["code"])
      let tokens = try Tokens(try await site.redeem(code))
      for token in [tokens.id, tokens.access] {
        let claims = try decodedClaims(of: token)
        #expect(claims["acr"] as? String == "2" && claims["amr"] as? [String] == ["pwd", "otp", "mfa"])
      }
      let account = try await browser.open("/account")
      #expect(account.body.contains("You signed in with your password and a code."))
      #expect(account.body.contains("You set up an authenticator app."))
      #expect(account.body.contains("You have 10 unused recovery codes."))
    }
  }

  @Test(
    "turning on two-step verification ends other sessions that began with only the password, and the activity list says why"
  )
  func otherSessions() async throws {
    try await withSite { site in
      try await site.registerLogoutURI(for: .web)
      let (thief, owner) = (TestBrowser(site), TestBrowser(site))
      _ = try await thief.complete(AuthorizeParameters(.web))
      let (app, _) = try await owner.addApp()
      #expect(try await thief.open("/account").isSignInPage)
      #expect(try await thief.authorize(AuthorizeParameters(.web)).isSignInPage)
      #expect(try await site.deliveries().map(\.client) == [TestClient.web.id])
      #expect(try await site.trail(.signedOut).map(\.reason) == [.twoStepVerification])
      let page = try await owner.get("/account")
      #expect(page.isAccountPage && page.body.contains("because two-step verification was turned on"))
      // A session that began with a code continues when the app is replaced.
      let (strong, other) = (TestBrowser(site), TestBrowser(site))
      for browser in [strong, other] { #expect(try await browser.openAccount(with: app).isAccountPage) }
      _ = try await strong.postAccount("two-step", [("action", "remove-app")])
      try await strong.addApp()
      #expect(try await site.trail(.totpAdded).count == 2)
      #expect(try await other.open("/account").isAccountPage)
      // The owner's session began with only the password.
      #expect(try await owner.open("/account").isSignInPage)
    }
  }

  @Test("a recovery code works once, even in capitals and with spaces, and new codes replace earlier ones")
  func recoveryCodes() async throws {
    try await withSite { site in
      let (_, codes) = try await TestBrowser(site).addApp()
      let browser = TestBrowser(site)
      let first = try #require(codes.first)
      let typed = first.uppercased().replacing("-", with: " ")
      #expect(try await browser.enter(typed, on: try await browser.openAccount()).isAccountPage)
      let secondBrowser = TestBrowser(site)
      let rejected = try await secondBrowser.enter(first, on: try await secondBrowser.openAccount())
      #expect(rejected.isCodePage && rejected.status == .forbidden && secondBrowser.session == nil)
      let page = try await browser.open("/account")
      #expect(page.body.contains("You have 9 unused recovery codes.") && page.body.contains("You signed in with a recovery code"))

      site.fixture.clock.advance(by: .seconds(1))
      let newCodes = try await browser.postAccount("two-step", [("action", "new-codes")])
      #expect(newCodes.status == .ok && newCodes.recoveryCodes.count == 10 && Set(newCodes.recoveryCodes).isDisjoint(with: codes))
      // If the user reloads the page with the new codes, the browser sends the form again. The field `replaces`
      // identifies the earlier codes, so the server does not replace the new ones.
      let identifier = try #require(page.body.firstMatch(of: /name="replaces" value="([^"]+)"/)).1
      let reloaded = try await browser.postAccount("two-step", [("action", "new-codes"), ("replaces", String(identifier))])
      #expect(reloaded.status == .seeOther && reloaded.recoveryCodes.isEmpty)
      #expect(try await secondBrowser.enter(codes[1], on: try await secondBrowser.openAccount()).status == .forbidden)
      #expect(try await secondBrowser.enter(newCodes.recoveryCodes[3], on: try await secondBrowser.openAccount()).isAccountPage)
      #expect(try await site.trail(.recoveryCodesCreated).count == 2)
      #expect(try await site.trail(.recoveryCodeUsed).count == 2)
    }
  }

  @Test("the page for setup shows the key, and a QR code with an accessible name; only a correct code adds the app")
  func enrollment() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.open("/account/authenticator"))
      let app = try #require(TestAuthenticatorApp(page))
      #expect(page.body.contains(#"role="img" aria-label="QR code for your authenticator app""#))
      #expect(page.headers[.contentSecurityPolicy]?.contains("unsafe") == false && !page.body.contains("style="))
      #expect(page.headers[.cacheControl] == "no-store" && page.isUnframeable)
      let code = app.code(at: site.fixture.clock.now)
      for wrong in ["", "000000x", String(code.dropLast()), app.code(at: site.fixture.clock.now + .seconds(90))] {
        let reply = try await browser.submitApp(page, code: wrong)
        // The page still shows the same key.
        #expect(reply.status == .badRequest && TestAuthenticatorApp(reply)?.code(at: .now()) == app.code(at: .now()))
      }
      #expect(try await site.trail(.totpAdded).isEmpty)

      // The value of the field `enrollment` is valid only in its own session, even if the same user has other sessions.
      let other = TestBrowser(site)
      let form = try await other.signIn(try await other.open("/account/authenticator"))
      let stolen = try #require(page.hidden("enrollment"))
      _ = try await other.submit(form, [("enrollment", stolen), ("code", code), ("action", "add-app")])
      #expect(try await site.trail(.totpAdded).isEmpty)

      let spaced = "\(code.prefix(3)) \(code.suffix(3))"
      #expect(try await browser.submitApp(page, code: spaced).recoveryCodes.count == 10)
      // The form cannot be used again after the app was added.
      #expect(try await browser.submitApp(page, code: code).recoveryCodes.isEmpty)
      #expect(try await site.trail(.totpAdded).count == 1)
    }
  }

  @Test("the page that sets up an app expires after ten minutes")
  func enrollmentExpiry() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.open("/account/authenticator"))
      let app = try #require(TestAuthenticatorApp(page))
      site.fixture.clock.advance(by: .seconds(599))
      #expect(try await browser.submitApp(page, code: "000000").status == .badRequest)
      site.fixture.clock.advance(by: .seconds(1))
      let reply = try await browser.submitApp(page, code: app.code(at: site.fixture.clock.now))
      #expect(reply.isSignInPage)
      #expect(try await site.trail(.totpAdded).isEmpty)
    }
  }

  @Test("a user who has entered a code turns two-step verification off, and then signs in with the password alone")
  func removal() async throws {
    try await withSite { site in
      let (app, _) = try await TestBrowser(site).addApp()
      let browser = TestBrowser(site)
      try await browser.openAccount(with: app)
      let reply = try await browser.postAccount("two-step", [("action", "remove-app")])
      let page = try await browser.open(try #require(reply.location))
      #expect(page.statusText?.hasPrefix("Two-step verification is off.") == true)
      #expect(!page.body.contains("Create new recovery codes"))
      #expect(try await TestBrowser(site).openAccount().isAccountPage)
      #expect(try await site.trail(.totpRemoved).count == 1)
      #expect(try await site.trail(.recoveryCodesRemoved).count == 1)
      #expect(try site.fixture.database.query("SELECT * FROM recovery_code").isEmpty)
    }
  }

  @Test(
    "after an operator removes the app, a recovery code is required; after the codes are removed too, the password suffices")
  func operatorRemoval() async throws {
    try await withSite { site in
      let (_, codes) = try await TestBrowser(site).addApp()
      let accounts = site.fixture.server.accounts
      // A new password from an operator removes no factor.
      try await accounts.setPassword(Secret(TestServer.otherPassword), of: "ada")
      let browser = TestBrowser(site)
      #expect(try await browser.openAccount(password: TestServer.otherPassword).isCodePage)
      #expect(try await accounts.removeTOTP(of: "ada"))
      #expect(try await !accounts.removeTOTP(of: "ada"))
      let page = try await browser.openAccount(password: TestServer.otherPassword)
      #expect(page.isCodePage && !page.body.contains("one-time-code"))
      #expect(try await browser.enter(codes[0], on: page).isAccountPage)
      // The recovery code counts as a second factor, so the user can set up a new app.
      let newApp = try await browser.addApp()
      #expect(newApp.codes.isEmpty)
      #expect(try await accounts.removeTOTP(of: "ada"))
      #expect(try await accounts.removeRecoveryCodes(of: "ada"))
      #expect(try await !accounts.removeRecoveryCodes(of: "ada"))
      #expect(try await TestBrowser(site).openAccount(password: TestServer.otherPassword).isAccountPage)
    }
  }

  @Test("the user of a device must enter a code too, and the device's access token has the acr of two factors")
  func device() async throws {
    try await withSite { site in
      let (app, _) = try await TestBrowser(site).addApp()
      let device = try await site.beginDevice()
      let browser = TestBrowser(site)
      let signIn = try await browser.submit(try await browser.open("/device"), [("user_code", device.userCode)])
      let page = try await browser.signIn(signIn)
      #expect(page.isCodePage)
      let consent = try await browser.enter(app.code(at: site.fixture.clock.now), on: page)
      #expect(consent.isConsentPage)
      _ = try await browser.decide(consent, "allow")
      let claims = try decodedClaims(of: try #require(try await site.poll(device).json["access_token"]))
      #expect(claims["acr"] as? String == "2")
    }
  }

  @Test("with an authenticator app, a password needs 8 characters; without the app, the user must choose a password with 15")
  func passwordLength() async throws {
    try await withSite { site in
      let password = "vuXq7#pZ"
      let (app, _) = try await TestBrowser(site).addApp()
      let browser = TestBrowser(site)
      try await browser.openAccount(with: app)
      let form = try await browser.open("/account/password")
      #expect(form.body.contains("at least 8 characters"))
      let page = try await browser.submit(form, [("new-password", password), ("new-password-repeat", password)])
      #expect(page.isAccountPage)
      let code = { app.code(at: site.fixture.clock.now) }
      let other = TestBrowser(site)
      #expect(try await other.enter(code(), on: try await other.openAccount(password: password)).isAccountPage)
      _ = try await other.postAccount("two-step", [("action", "remove-app")])
      let required = try await TestBrowser(site).openAccount(password: password)
      #expect(required.body.contains("at least 15 characters") && required.hidden("proof") != nil)
    }
  }

  @Test("if the password must be changed, the user enters a code first, and the tokens after that have the acr of two factors")
  func requiredPasswordChange() async throws {
    try await withSite { site in
      let (app, _) = try await TestBrowser(site).addApp()
      // With a second factor, 8 characters are enough, so the policy would accept `Site.weakPassword`.
      try await site.useWeakPassword("horse")
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.authorize(AuthorizeParameters()), password: "horse")
      #expect(page.isCodePage && page.hidden("proof") == nil)
      let change = try await browser.enter(app.code(at: site.fixture.clock.now), on: page)
      let proof = try #require(change.hidden("proof"))
      #expect(browser.session == nil)
      let consent = try await browser.submit(
        change, [("proof", proof), ("new-password", TestServer.otherPassword), ("new-password-repeat", TestServer.otherPassword)])
      #expect(consent.isConsentPage)
      let code = try #require(try await browser.decide(consent, "allow").parameters["code"])
      #expect(try decodedClaims(of: try Tokens(try await site.redeem(code)).id)["acr"] as? String == "2")
    }
  }

  @Test("a password change on the account page keeps the methods and the time of the sign-in")
  func passwordChangeKeepsEvidence() async throws {
    try await withSite { site in
      let (app, _) = try await TestBrowser(site).addApp()
      let browser = TestBrowser(site)
      try await browser.openAccount(with: app)
      // `openAccount(with:)` advances the clock by 30 seconds after the sign-in.
      let time = site.fixture.clock.now - .seconds(30)
      site.fixture.clock.advance(by: .seconds(300))
      let form = try await browser.open("/account/password")
      let fields = [("new-password", TestServer.otherPassword), ("new-password-repeat", TestServer.otherPassword)]
      #expect(try await browser.submit(form, fields).isAccountPage)
      let session = try #require(try await site.fixture.server.sessions.active(browser.session)).record
      #expect(session.authenticationMethods == ["pwd", "otp", "mfa"] && session.authenticatedAt == time)
      // Sensitive changes are still allowed only in the first ten minutes after the sign-in.
      site.fixture.clock.advance(by: .seconds(300))
      #expect(try await browser.open("/account/password").isSignInPage)
    }
  }

  @Test("without unused recovery codes, the account page says what new ones are for, and not how to use the old ones")
  func withoutCodes() {
    var page = AccountPage(
      username: "ada", passwordChangedAt: Timestamp(seconds: 1_800_000_000), path: "/account", csrfToken: "t",
      signOutAction: "/sign-out", signOutCSRFToken: "t")
    page.twoStep = AccountPage.TwoStep(canCreateCodes: true)
    let html = Pages(serverName: "Example").account(page)
    #expect(html.contains("You have no unused recovery codes. Create new ones, so that you can sign in"))
    #expect(!html.contains("use one together with your password"))
  }

  @Test(
    """
    if acr=2 is an essential claim, a session that began with only a password is not enough: the user must enter a code, or \
    sees how to set up a second factor
    """)
  func essentialContext() async throws {
    try await withSite { site in
      let request = AuthorizeParameters(.claimedHTTPS).with("claims", #"{"id_token":{"acr":{"essential":true,"value":"2"}}}"#)
      let browser = TestBrowser(site)
      try await browser.openAccount()
      let page = try await browser.authorize(request)
      #expect(page.isSignInPage && page.body.contains("requires two factors. Set up an authenticator app"))
      #expect(try await browser.signIn(page).body.contains(#"<a href="/account#two-step">your account page</a>"#))
      #expect(try await browser.authorize(request.with("prompt", "none")).parameters["error"] == "login_required")

      let (app, _) = try await browser.addApp()
      let codePage = try await browser.signIn(try await browser.authorize(request))
      #expect(codePage.isCodePage)
      let reply = try await browser.enter(app.code(at: site.fixture.clock.now), on: codePage)
      let response = reply.isConsentPage ? try await browser.decide(reply, "allow") : reply
      #expect(response.parameters["code"] != nil)
      // A session that began with two factors satisfies `acr_values=2` without a page.
      let silent = AuthorizeParameters(.claimedHTTPS).with("acr_values", "2").with("prompt", "none")
      #expect(try await browser.authorize(silent).parameters["code"] != nil)
    }
  }

  @Test(
    """
    the account data that a user downloads lists the app and the number of unused recovery codes; neither this data nor the \
    database contains the app's key or a code
    """)
  func secrets() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.open("/account/authenticator"))
      let key = try #require(page.body.firstMatch(of: /<code>([A-Z2-7 ]*)<\/code>/)).1
      let app = try #require(TestAuthenticatorApp(page))
      let codes = try await browser.submitApp(page, code: app.code(at: site.fixture.clock.now)).recoveryCodes
      let data = try await browser.get("/account/data").body
      #expect(data.contains("authenticatorApp") && data.contains(#""unused":10"#))
      let stored = try site.fixture.contents()
      for secret in codes + codes.map({ $0.replacing("-", with: "") }) + [String(key), String(key).replacing(" ", with: "")] {
        #expect(!data.contains(secret) && !stored.contains(secret))
      }
    }
  }
}
