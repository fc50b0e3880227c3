import Foundation
import HTTPTestSupport
import HTTPTypes
import Hummingbird
import SallyportHTTP
import SallyportProtocol
import SallyportServer
import SallyportWebAuthn
import ServerTestSupport
import TestSupport
import Testing
import WebAuthnTestSupport

/// Checks that no form of the account page, of the pages around it, or of the sign-in pages changes anything if another
/// site posts it, or if its CSRF token is missing or wrong. The forms come from the pages themselves, so that a new
/// form is tested too.
@Suite("Forms under attack")
struct FormAttackTests {
  /// The header fields of requests whose origin is another site, missing, or hidden.
  private static let hostileHeaders: [HTTPFields] = [
    [.origin: "https://evil.example"], [:], [.origin: "null"], [.secFetchSite: "cross-site"],
  ]

  /// Posts a form as other sites would, and with wrong CSRF tokens. Expects that neither the database nor the browser's
  /// cookies change.
  private func attack(
    _ form: PageForm, from browser: TestBrowser, entering values: [String: String], wrongTokens: [String]
  ) async throws {
    let csrf = try #require(form.csrf, "\(form.name)")
    let before = try browser.site.fixture.contents()
    let cookies = browser.cookies
    for headers in Self.hostileHeaders {
      _ = try await browser.post(form.action, form.parameters(csrf: csrf, entering: values), headers: headers)
      #expect(browser.cookies == cookies, "\(form.name) \(headers)")
      browser.cookies = cookies
    }
    #expect(try browser.site.fixture.contents() == before, "\(form.name), posted by another site")
    for token in [nil, "", "x"] + wrongTokens where token != csrf {
      _ = try await browser.post(form.action, form.parameters(csrf: token, entering: values))
      #expect(browser.cookies == cookies, "\(form.name) \(token ?? "none")")
      browser.cookies = cookies
    }
    #expect(try browser.site.fixture.contents() == before, "\(form.name), with a wrong CSRF token")
  }

  /// Posts a form as its page does. Expects that the database or the browser's cookies change.
  private func expectEffect(of form: PageForm, from browser: TestBrowser, entering values: [String: String]) async throws {
    let before = try browser.site.fixture.contents()
    let cookies = browser.cookies
    _ = try await browser.post(form.action, form.parameters(csrf: form.csrf, entering: values))
    let isChanged = try browser.site.fixture.contents() != before || browser.cookies != cookies
    #expect(isChanged, "\(form.name)")
  }

  @Test("a form from another origin is rejected at every path, except those to which apps and other servers post")
  func everyRoute() async throws {
    try await withUpstream(configure: {
      $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) }
      $0.signUp = .open
      $0.allowsAccountDeletion = true
    }) { site, _ in
      let routes = AuthorizationServerRouter(server: site.fixture.server).build().routes
      var otherPaths: Set<String> = []
      for path in routes.filter({ $0.method == .post }).map({ "/\($0.path)".replacing("//", with: "/") }) {
        let reply = try await TestBrowser(site).post(path, [("csrf", "x")], headers: [.origin: "https://evil.example"])
        if !reply.isWrongAddressPage, reply.status != .methodNotAllowed { otherPaths.insert(path) }
      }
      #expect(
        otherPaths == [
          "/authorize", "/device_authorization", "/end-session", "/introspect", "/par", "/register", "/revoke", "/token",
          "/upstream/{upstream}/backchannel-logout", "/userinfo",
        ])
    }
  }

  private func withProvider(_ body: @escaping @Sendable (Site, FakeUpstream) async throws -> Void) async throws {
    try await withUpstream(configure: {
      $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) }
      $0.allowsAccountDeletion = true
    }) { site, upstream in try await body(site, upstream) }
  }

  /// Gives `ada` everything that adds a form to the account page.
  /// - Returns: The browser that shows the page, and another one of the same user.
  private func prepareAccount(
    _ site: Site, _ upstream: FakeUpstream, _ authenticator: inout SoftwareAuthenticator
  ) async throws -> (browser: TestBrowser, other: TestBrowser) {
    try await FakeUpstream("second", on: upstream.transport, issuer: "https://second.example").register(at: site)
    let browser = TestBrowser(site)
    try await browser.openAccount()
    _ = try await browser.connect(upstream)
    _ = try await browser.addPasskey(&authenticator)
    _ = try await browser.signIn(try await browser.open("/account/sign-in?for=authenticator"), with: &authenticator)
    try await browser.addApp()
    let other = TestBrowser(site)
    for device in [other, TestBrowser(site)] {
      #expect(try await device.signIn(try await device.open("/account"), with: &authenticator).isAccountPage)
    }
    #expect(try await browser.complete(AuthorizeParameters(.claimedHTTPS)).parameters["code"] != nil)
    return (browser, other)
  }

  /// The values that an attacker would choose.
  private func values(for page: Reply) throws -> [String: String] {
    var values = ["name": "Mallory", "language": "de", "email": "mallory@example.com"]
    if let form = PasskeyFormFields(page) {
      var authenticator = try SoftwareAuthenticator(origin: "https://id.example")
      let options = try JSONDecoder().decode(PublicKeyCredentialCreationOptionsJSON.self, from: form.options)
      values["response"] = String(decoding: try authenticator.register(options).json(), as: UTF8.self)
    }
    return values
  }

  /// The names of the forms of the account page, in the order in which the test submits them. A form that ends
  /// something that other forms need, such as the session, comes after them.
  static let accountForms = [
    "/account/profile save", "/account/language save-language", "/account/email verify-email", "/account/email change-email",
    "/account/passkey rename", "/account/passkeys add-passkey", "/account/providers connect-provider",
    "/account/providers disconnect-provider", "/account/two-step new-codes", "/account/two-step remove-app",
    "/account/browsers sign-out", "/account/browsers sign-out-others", "/account/apps revoke", "/account/passkey remove-passkey",
    "/sign-out",
  ]

  @Test("S-28: no form of the account page works for another site, or without its CSRF token")
  func accountPage() async throws {
    try await self.withProvider { site, upstream in
      var authenticator = try SoftwareAuthenticator(origin: "https://id.example")
      let (browser, other) = try await self.prepareAccount(site, upstream, &authenticator)
      let attacker = TestBrowser(site)
      // The CSRF tokens of another user, and of the same user in another browser.
      let foreign = try await [attacker.openAccount(as: "bob"), other.open("/account")].flatMap(\.forms).compactMap(\.csrf)
      let page = try await browser.open("/account")
      #expect(page.isUnframeable)
      #expect(Set(page.forms.map(\.name)) == Set(Self.accountForms))
      let values = try self.values(for: page)
      for form in page.forms {
        // `attack` skips the token of the form itself.
        let wrong = foreign + page.forms.compactMap(\.csrf)
        try await self.attack(form, from: browser, entering: values, wrongTokens: Array(Set(wrong)))
      }
      for name in Self.accountForms {
        let page = try await browser.open("/account")
        let form = try #require(page.form(name), "\(name)")
        try await self.expectEffect(of: form, from: browser, entering: try self.values(for: page))
      }
    }
  }

  @Test(
    "S-28: no form of the pages around the account page works for another site, or without its CSRF token",
    arguments: ["password", "authenticator", "delete", "accounts"])
  func ownPages(path: String) async throws {
    try await self.withProvider { site, _ in
      let (browser, other, attacker) = (TestBrowser(site), TestBrowser(site), TestBrowser(site))
      try await browser.openAccount()
      try await other.openAccount()
      try await attacker.openAccount(as: "bob")
      let page = try await browser.open("/account/\(path)")
      #expect(page.isUnframeable && !page.forms.isEmpty)
      var wrong = try await browser.open("/account").forms.compactMap(\.csrf)
      for device in [other, attacker] { wrong += try await device.open("/account/\(path)").forms.compactMap(\.csrf) }
      var values = [
        "new-password": TestServer.otherPassword, "new-password-repeat": TestServer.otherPassword, "username": "ada",
      ]
      values["code"] = TestAuthenticatorApp(page)?.code(at: site.fixture.clock.now)
      for form in page.forms { try await self.attack(form, from: browser, entering: values, wrongTokens: wrong) }
      // On the page `accounts`, the first form chooses the account that is already the default, which changes nothing.
      // Therefore, the last form is submitted.
      try await self.expectEffect(of: try #require(page.forms.last), from: browser, entering: values)
    }
  }

  /// The pages on which users sign in.
  enum SignIn: String, CaseIterable, Sendable {
    case account, app, device

    func open(in browser: TestBrowser) async throws -> Reply {
      switch self {
      case .account: return try await browser.open("/account")
      case .app: return try await browser.authorize(AuthorizeParameters())
      case .device:
        let device = try await browser.site.beginDevice()
        return try await browser.submit(try await browser.open(device.verificationURI), [("user_code", device.userCode)])
      }
    }

    /// The paths of the forms with the password, with a passkey, with a code, and with a new password.
    var paths: (password: String, passkey: String, code: String, newPassword: String) {
      switch self {
      case .account:
        ("/account/sign-in", "/account/sign-in/passkey", "/account/sign-in/code", "/account/change-password")
      case .app: ("/interaction/sign-in", "/interaction/passkey", "/interaction/code", "/interaction/change-password")
      case .device: ("/device/sign-in", "/device/passkey", "/device/code", "/device/change-password")
      }
    }
  }

  @Test(
    "S-28: no other site can sign a browser in, with a password, a passkey, or a provider", arguments: SignIn.allCases)
  func signIn(on kind: SignIn) async throws {
    try await self.withProvider { site, upstream in
      var authenticator = try SoftwareAuthenticator(origin: "https://id.example")
      _ = try await TestBrowser(site).addPasskey(&authenticator)
      let browser = TestBrowser(site)
      let page = try await kind.open(in: browser)
      let (password, passkey) = (kind.paths.password, kind.paths.passkey)
      let names = [password, "\(password) corp", "\(passkey) passkey"]
      #expect(page.isUnframeable && Set(page.forms.map(\.name)) == Set(names))
      // The CSRF tokens of the other sign-in pages are wrong for this page.
      var wrong: [String] = []
      for other in SignIn.allCases where other != kind {
        wrong += try await other.open(in: TestBrowser(site)).forms.compactMap(\.csrf)
      }
      for name in names {
        let browser = TestBrowser(site)
        let page = try await kind.open(in: browser)
        let form = try #require(page.form(name), "\(name)")
        var values = ["username": "bob", "password": TestServer.password]
        let response = try TestBrowser.response(to: try #require(PasskeyFormFields(page)), with: &authenticator)
        values["response"] = String(decoding: response, as: UTF8.self)
        try await self.attack(form, from: browser, entering: values, wrongTokens: wrong)
        try await self.expectEffect(of: form, from: browser, entering: values)
      }
    }
  }

  @Test(
    "S-28: no other site can complete a sign-in with a code or a new password", arguments: SignIn.allCases, [true, false])
  func secondStep(of kind: SignIn, hasApp: Bool) async throws {
    try await self.withProvider { site, _ in
      // With an authenticator app, the sign-in asks for a code. Without one, a weak password must be replaced.
      let owner = TestBrowser(site)
      let app = hasApp ? try await owner.addApp().app : nil
      if !hasApp { try await site.useWeakPassword() }
      let password = hasApp ? TestServer.password : Site.weakPassword
      let browser = TestBrowser(site)
      let signIn = try await kind.open(in: browser)
      let page = try await browser.signIn(signIn, password: password)
      var wrong = [try #require(signIn.csrf)]
      for other in SignIn.allCases where other != kind {
        let otherBrowser = TestBrowser(site)
        let page = try await otherBrowser.signIn(try await other.open(in: otherBrowser), password: password)
        wrong.append(try #require(page.csrf))
      }
      #expect(page.isUnframeable)
      #expect(Set(page.forms.map(\.name)) == [hasApp ? kind.paths.code : kind.paths.newPassword])
      var values = ["new-password": TestServer.otherPassword, "new-password-repeat": TestServer.otherPassword]
      values["code"] = app?.code(at: site.fixture.clock.now)
      for form in page.forms { try await self.attack(form, from: browser, entering: values, wrongTokens: wrong) }
      try await self.expectEffect(of: try #require(page.forms.first), from: browser, entering: values)
    }
  }

  // MARK: Completeness

  /// The paths of forms that other suites post from another site and with wrong CSRF tokens. The values are the names
  /// of these suites.
  static let testedElsewhere: [String: String] = [
    "/interaction/consent": "InteractionTests", "/interaction/account": "AccountChooserAttackTests",
    "/device": "DeviceGuessingTests", "/device/consent": "DeviceTests", "/account/link": "AccountLinkPageTests",
    "/account/choose-password": "AccountLinkPageTests", "/account/forgot-password": "ForgotPasswordTests",
    "/account/sign-up": "SignUpPageTests", "/account/sign-up/link": "SignUpPageTests",
    "/account/sign-up/account": "SignUpPageTests",
  ]

  /// The paths of endpoints to which clients and providers send requests. A POST to `/authorize` or `/end-session`
  /// causes only a redirect or an error page. The other endpoints ignore cookies.
  static let endpoints: Set<String> = [
    "/token", "/introspect", "/revoke", "/par", "/device_authorization", "/register", "/userinfo", "/authorize", "/end-session",
    "/upstream/{upstream}/backchannel-logout",
  ]

  @Test("every path that accepts POST is the path of a form that is tested, or an endpoint for clients")
  func completeness() async throws {
    try await withUpstream(configure: {
      $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) }
      $0.allowsAccountDeletion = true
      $0.signUp = .open
    }) { site, _ in
      let router = AuthorizationServerRouter(server: site.fixture.server, failuresPerSecond: 0).build()
      var paths: Set<String> = []
      for route in router.routes where route.method == .post {
        let path = route.path.description
        // Paths that do not accept POST have a POST route too, which responds with status 405.
        let reply = try await site.send(.post, path.replacing("{upstream}", with: "corp"), body: [])
        if reply.status != .methodNotAllowed { paths.insert(path) }
      }
      let forms = Set(Self.accountForms.map { String($0.prefix { $0 != " " }) })
      let ownPages = ["/account/password", "/account/authenticator", "/account/delete", "/account/accounts"]
      let signIn = SignIn.allCases.map(\.paths).flatMap { [$0.password, $0.passkey, $0.code, $0.newPassword] }
      let known = forms.union(ownPages).union(signIn).union(Self.testedElsewhere.keys).union(Self.endpoints)
      #expect(paths.subtracting(known).isEmpty, "paths without a test")
      #expect(known.subtracting(paths).isEmpty, "paths that do not exist")
    }
  }
}
