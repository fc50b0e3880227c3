import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import SallyportWebAuthn
import ServerTestSupport
import TestSupport
import Testing
import WebAuthnTestSupport

@Suite("Secrets of accounts in the log")
struct AccountSecretsInLogsTests {
  @Test("no secret with which users sign in or change their accounts is in the audit trail, or in the log, even at trace level")
  func noSecrets() async throws {
    let (log, secrets) = (CapturedLog(), SearchedSecrets())
    try await withUpstream(
      change: { $0.details.accounts = .create }, logger: log.logger,
      configure: {
        $0.mail = EmailAddress("accounts@id.example").map { MailPolicy(from: $0) }
        $0.signUp = .open
      }
    ) { site, upstream in
      for name in ["ada", "bob"] { _ = try await site.fixture.server.accounts.edit(name, isEmailVerified: true) }
      try await self.links(site, secrets)
      try await self.signUp(site, secrets)
      try await self.codes(site, secrets)
      try await self.passkeys(site, secrets)
      try await self.upstreams(site, upstream, secrets)
      try await secrets.expectNone(in: log, of: site)
    }
  }

  private func add(_ cookies: [String: String], to secrets: SearchedSecrets) {
    for (name, value) in cookies { secrets.add("cookie \(name)", value) }
  }

  /// Returns the last mailed link, and adds its token to the secrets.
  private func link(_ site: Site, _ secrets: SearchedSecrets) async throws -> String {
    let link = try #require(try await site.deliverMail().last { $0.link != nil }?.link)
    secrets.add("token of a link", try oneTimeToken(in: link))
    return link
  }

  private func links(_ site: Site, _ secrets: SearchedSecrets) async throws {
    let browser = TestBrowser(site)
    let form = try await browser.open("/account/forgot-password")
    _ = try await browser.submit(form, [("username", "ada")])
    let link = try await self.link(site, secrets)
    let page = try await browser.use(link)
    secrets.add("CSRF token", page.csrf)
    // A cookie contains the proof that the link was used.
    self.add(browser.cookies, to: secrets)
    secrets.add("new password", TestServer.otherPassword)
    for password in ["short-s3cret", TestServer.otherPassword] {
      secrets.add("rejected or new password", password)
      _ = try await browser.submit(page, [("new-password", password), ("new-password-repeat", password)])
    }
    #expect(try await browser.open(link).status == .notFound)
    _ = try await browser.openAccount(password: TestServer.otherPassword)
    _ = try await browser.postAccount("email", [("action", "change-email"), ("email", "ada@new.example")])
    let confirmation = try await self.link(site, secrets)
    #expect(try await browser.use(confirmation).body.contains("ada@new.example"))
    self.add(browser.cookies, to: secrets)
  }

  private func signUp(_ site: Site, _ secrets: SearchedSecrets) async throws {
    let browser = TestBrowser(site)
    _ = try await browser.submit(try await browser.open("/account/sign-up"), [("email", "carol@example.com")])
    let page = try await browser.use(try await self.link(site, secrets))
    self.add(browser.cookies, to: secrets)
    let password = "carol has a horse of her own"
    secrets.add("password of a new account", password)
    let fields = [("username", "carol"), ("new-password", password), ("new-password-repeat", password)]
    #expect(try await browser.submit(page, fields).body.contains("Your account is ready"))
  }

  private func codes(_ site: Site, _ secrets: SearchedSecrets) async throws {
    let owner = TestBrowser(site)
    try await owner.openAccount(as: "bob")
    let page = try await owner.open("/account/authenticator")
    let key = try #require(page.body.firstMatch(of: /<code>([A-Z2-7 ]*)<\/code>/)?.1)
    secrets.add("key of an authenticator app", String(key))
    secrets.add("key of an authenticator app", String(key.filter { $0 != " " }))
    secrets.add("sealed key", page.hidden("enrollment"))
    let app = try #require(TestAuthenticatorApp(page))
    var codes: [String] = []
    for code in ["000000", app.code(at: site.fixture.clock.now)] {
      let reply = try await owner.submitApp(page, code: code)
      secrets.add(code: code)
      codes = reply.recoveryCodes
    }
    #expect(codes.count == 10)
    for code in codes + ["aaaa-bbbb-cccc"] {
      secrets.add("recovery code", code)
      secrets.add("recovery code", code.filter { $0 != "-" })
    }
    site.fixture.clock.advance(by: .seconds(30))
    // A wrong recovery code, a valid one, the same one again, a wrong code of an app, and a valid one.
    for code in ["aaaa-bbbb-cccc", codes[0], codes[0], "111111", app.code(at: site.fixture.clock.now)] {
      let browser = TestBrowser(site)
      let page = try await browser.openAccount(as: "bob")
      secrets.add("state of a sign-in", page.hidden("state"))
      if code.count == 6 { secrets.add(code: code) }
      _ = try await browser.enter(code, on: page)
      self.add(browser.cookies, to: secrets)
    }
    #expect(try await site.trail(.recoveryCodeUsed).count == 1)
  }

  private func passkeys(_ site: Site, _ secrets: SearchedSecrets) async throws {
    func add(_ form: PasskeyFormFields, _ response: [UInt8]) throws {
      secrets.add("sealed challenge", form.challenge)
      let options = try JSONSerialization.jsonObject(with: form.options) as? [String: Any]
      secrets.add("challenge", options?["challenge"] as? String)
      let object = try JSONSerialization.jsonObject(with: Data(response)) as? [String: Any]
      for (name, value) in try #require(object?["response"] as? [String: Any]) {
        // Some members repeat parts of the attestation object. The test's authenticator sends only a short constant in
        // them, which is not a secret.
        if let text = value as? String, text.count > 6 { secrets.add("\(name) of a passkey", text) }
      }
    }
    var authenticator = try SoftwareAuthenticator(origin: "https://id.example")
    // `links` has changed the password of ada.
    let owner = TestBrowser(site)
    let form = try #require(PasskeyFormFields(try await owner.openAccount(password: TestServer.otherPassword)))
    let options = try JSONDecoder().decode(PublicKeyCredentialCreationOptionsJSON.self, from: form.options)
    let registration = try authenticator.register(options).json()
    try add(form, registration)
    #expect(try await owner.send(form, registration).recoveryCodes.count == 10)
    // Challenges are consumed, so the server rejects a repeated response. Rejections must not be logged with secrets
    // either.
    _ = try await owner.send(form, registration)
    let browser = TestBrowser(site)
    let signIn = try #require(PasskeyFormFields(try await browser.authorize(AuthorizeParameters())))
    let response = try TestBrowser.response(to: signIn, with: &authenticator)
    try add(signIn, response)
    #expect(try await browser.send(signIn, response).isConsentPage)
    _ = try await TestBrowser(site).send(signIn, response)
    self.add(browser.cookies, to: secrets)
  }

  private func upstreams(_ site: Site, _ upstream: FakeUpstream, _ secrets: SearchedSecrets) async throws {
    secrets.add("client secret", FakeUpstream.secret)
    secrets.add("access token of the upstream", "upstream-access-token")
    // The server requests these claims with the access token.
    upstream.change { $0.userinfo = ["sub": "subject-1", "preferred_username": "grace"] }
    for changes in [[:], ["code": "wr0ng-c0de-of-the-upstream"], ["error": "access_denied"], ["iss": "https://evil.example"]] {
      let browser = TestBrowser(site)
      let request = try await browser.begin(upstream, on: try await browser.authorize(AuthorizeParameters()))
      for name in ["state", "nonce", "code_challenge"] { secrets.add("\(name) for the upstream", request.parameters[name]) }
      let response = try upstream.signIn(request, changing: changes)
      let parameters = try FormParameters(parsing: try #require(response.split(separator: "?").last))
      secrets.add("code of the upstream", parameters["code"])
      self.add(browser.cookies, to: secrets)
      // The second request repeats a response that was already used.
      for _ in 0..<2 { _ = try await browser.open(response) }
      self.add(browser.cookies, to: secrets)
    }
    let requests = upstream.transport.requests(to: upstream.tokenEndpoint)
    #expect(requests.count >= 2)
    for request in requests { secrets.add("code verifier", request.form?["code_verifier"]) }
  }
}
