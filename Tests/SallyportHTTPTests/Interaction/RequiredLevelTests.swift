import HTTPTestSupport
import HTTPTypes
import SallyportHTTP
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing
import WebAuthnTestSupport

@Suite("Authentication levels (acr) that an operator requires")
struct RequiredLevelTests {
  /// What the operator requires `phr` for. `phr` is the level of phishing-resistant methods, such as a passkey.
  enum Subject: String, CaseIterable, Sendable { case client, scope }

  private static let explanation = "This app requires a passkey."

  /// Runs `body` on a site where two clients, or the scope value `notes`, require `phr`. The authenticator holds a
  /// passkey of the user `ada`.
  private static func withPasskey(
    requiredFor subject: Subject, _ body: @Sendable (Site, SoftwareAuthenticator) async throws -> Void
  ) async throws {
    try await withSite(configure: { if subject == .scope { $0.requiredContexts = ["notes": "phr"] } }) { site in
      var authenticator = try SoftwareAuthenticator(origin: "https://id.example")
      _ = try await TestBrowser(site).addPasskey(&authenticator)
      if subject == .client {
        for client in [TestClient.claimedHTTPS, .loopback] { try await Self.require("phr", of: client, site) }
      }
      try await body(site, authenticator)
    }
  }

  /// Sets the level that a client requires, and permits the device grant to the client.
  /// - Parameter context: The level; nil for no requirement.
  private static func require(_ context: String?, of client: TestClient, _ site: Site) async throws {
    var record = try client.record
    record.details.requiredContext = context
    record.grantTypes.append(.deviceCode)
    try await site.add(record)
  }

  private static func request(_ client: TestClient = .claimedHTTPS) -> AuthorizeParameters {
    AuthorizeParameters(client).with("scope", "openid notes offline_access")
  }

  @Test(
    "S-17: if the client or the scope requires phr, a user who enters a password is asked for a passkey",
    arguments: Subject.allCases)
  func prompts(subject: Subject) async throws {
    try await Self.withPasskey(requiredFor: subject) { site, authenticator in
      var authenticator = authenticator
      let browser = TestBrowser(site)
      let page = try await browser.authorize(Self.request())
      #expect(page.isSignInPage && !page.body.contains(Self.explanation))
      let afterPassword = try await browser.signIn(page)
      #expect(afterPassword.isSignInPage && afterPassword.body.contains(Self.explanation))
      let consent = try await browser.signIn(afterPassword, with: &authenticator)
      let code = try #require(try await browser.decide(consent, "allow").parameters["code"])
      let tokens = try Tokens(try await site.redeem(code, .claimedHTTPS))
      #expect(try decodedClaims(of: tokens.access)["acr"] as? String == "phr")
      #expect(try await site.refresh(tokens.refresh, .claimedHTTPS).status == .ok)
    }
  }

  @Test("a signed-in user without a passkey learns where to add one, and is not told that the sign-in failed")
  func missingPasskey() async throws {
    try await withSite { site in
      for client in [TestClient.claimedHTTPS, .loopback] { try await Self.require("phr", of: client, site) }
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.authorize(Self.request()))
      #expect(page.status == .ok && page.isSignInPage)
      #expect(page.body.contains(#"<a href="/account#passkeys">your account page</a>"#))
      #expect(!page.body.contains(Self.explanation) && !page.body.contains(#"id="failure""#))
      #expect(!page.body.contains("<title>Error"))

      let device = try await site.post("/device_authorization", [("client_id", "loopback"), ("scope", "openid notes")])
      let userCode = try #require(device.json["user_code"])
      let other = TestBrowser(site)
      let reply = try await other.signIn(try await other.submit(try await other.open("/device"), [("user_code", userCode)]))
      #expect(reply.isSignInPage && reply.body.contains(#"<a href="/account#passkeys">your account page</a>"#))
      #expect(!reply.body.contains(#"id="failure""#))

      var authenticator = try SoftwareAuthenticator(origin: "https://id.example")
      _ = try await browser.addPasskey(&authenticator)
      let withPasskey = try await browser.authorize(Self.request())
      #expect(withPasskey.isSignInPage && withPasskey.body.contains(Self.explanation))
      #expect(try await browser.signIn(withPasskey, with: &authenticator).isConsentPage)
    }
  }

  @Test("S-17: neither a request nor a remembered consent lowers the level", arguments: Subject.allCases)
  func cannotBeLowered(subject: Subject) async throws {
    try await Self.withPasskey(requiredFor: subject) { site, authenticator in
      var authenticator = authenticator
      let first = TestBrowser(site)
      let consent = try await first.signIn(try await first.authorize(Self.request()), with: &authenticator)
      _ = try await first.decide(consent, "allow")
      let lowered = [
        Self.request().with("acr_values", "1"),
        Self.request().with("claims", #"{"id_token":{"acr":{"essential":true,"value":"1"}}}"#),
        Self.request().with("max_age", "900"),
      ]
      for request in lowered {
        let browser = TestBrowser(site)
        let page = try await browser.signIn(try await browser.authorize(request))
        #expect(page.isSignInPage && page.body.contains(Self.explanation))
        // With prompt=none, the app learns that the session is too weak.
        let silent = request.with("prompt", "none")
        expectErrorRedirect(
          try await browser.authorize(silent), "login_required", silent,
          description: "The user must sign in with a stronger method.")
        #expect(try await browser.signIn(page, with: &authenticator).parameters["code"] != nil)
      }
    }
  }

  @Test("the level of a scope value does not apply to requests without this value")
  func otherScope() async throws {
    try await Self.withPasskey(requiredFor: .scope) { site, _ in
      let request = AuthorizeParameters(.claimedHTTPS).with("scope", "openid")
      let response = try await TestBrowser(site).complete(request)
      #expect(response.parameters["code"] != nil)
    }
  }

  @Test("S-17: a pushed request needs the level of its client and its scope", arguments: Subject.allCases)
  func pushed(subject: Subject) async throws {
    try await Self.withPasskey(requiredFor: subject) { site, authenticator in
      var authenticator = authenticator
      let reply = try await site.post("/par", Self.request().list)
      let uri = try #require(reply.json["request_uri"])
      let browser = TestBrowser(site)
      let query = FormParameters.encode([("client_id", "claimed"), ("request_uri", uri)])
      let page = try await browser.signIn(try await browser.open("/authorize?\(query)"))
      #expect(page.isSignInPage && page.body.contains(Self.explanation))
      #expect(try await browser.signIn(page, with: &authenticator).isConsentPage)
    }
  }

  @Test("S-17: a user approves a device only at the required level, but can deny it at any level", arguments: Subject.allCases)
  func device(subject: Subject) async throws {
    try await Self.withPasskey(requiredFor: subject) { site, authenticator in
      var authenticator = authenticator
      // The client needs the device grant. `require` permits it, but `withPasskey` calls `require` only for the subject
      // `client`.
      if subject == .scope { try await Self.require(nil, of: .loopback, site) }
      let reply = try await site.post("/device_authorization", [("client_id", "loopback"), ("scope", "openid notes")])
      let browser = TestBrowser(site)
      let form = try await browser.open("/device")
      let userCode = try #require(reply.json["user_code"])
      let page = try await browser.signIn(try await browser.submit(form, [("user_code", userCode)]))
      #expect(page.isSignInPage && page.body.contains(Self.explanation))
      let consent = try await browser.signIn(page, with: &authenticator)
      #expect(consent.isConsentPage)

      // In this browser, the user has signed in only with a password.
      let weak = TestBrowser(site)
      _ = try await weak.complete(AuthorizeParameters(.web))
      let server = site.fixture.server
      let session = try #require(try await server.sessions.active(weak.cookies["__Host-sallyport"]))
      let code = try #require(UserCode(userCode))
      let waiting = try #require(try await server.deviceVerification.waiting(with: code))
      #expect(
        try await server.deviceVerification.decide(waiting, session: session, allow: true, from: .server) == .strongerSignInNeeded
      )
      #expect(try await server.deviceVerification.decide(waiting, session: session, allow: false, from: .server) == .denied)
      #expect(try await browser.decide(consent, "allow").body.contains("was not connected"))
    }
  }

  @Test("S-17: codes, refresh tokens, and approved devices of weaker sign-ins give no tokens after the level was raised")
  func raised() async throws {
    try await withSite { site in
      let tokens = try await site.tokens(.claimedHTTPS)
      let code = try await site.code(AuthorizeParameters(.claimedHTTPS))
      let device = try await site.beginDevice()
      try await TestBrowser(site).allow(device)
      for client in [TestClient.claimedHTTPS, .loopback] { try await Self.require("phr", of: client, site) }
      expectTokenError(try await site.refresh(tokens.refresh, .claimedHTTPS), "invalid_grant")
      expectTokenError(try await site.redeem(code, .claimedHTTPS), "invalid_grant")
      expectTokenError(try await site.poll(device), "invalid_grant")
      // The grant was not revoked, so it can be used again after the operator has lowered the level.
      try await Self.require(nil, of: .claimedHTTPS, site)
      #expect(try await site.refresh(tokens.refresh, .claimedHTTPS).status == .ok)
    }
  }

  @Test("S-17: a reused refresh token of a weaker sign-in revokes the grant, and a retry after a lost response does not")
  func reusedAfterRaise() async throws {
    try await withSite { site in
      let tokens = try await site.tokens(.claimedHTTPS)
      let successor = try Tokens(try await site.refresh(tokens.refresh, .claimedHTTPS))
      try await Self.require("phr", of: .claimedHTTPS, site)
      expectTokenError(try await site.refresh(tokens.refresh, .claimedHTTPS), "invalid_grant")
      try await Self.require(nil, of: .claimedHTTPS, site)
      // Within the reuse interval, the replaced token is a retry, and returns its successor.
      #expect(try await site.refresh(tokens.refresh, .claimedHTTPS).status == .ok)
      try await Self.require("phr", of: .claimedHTTPS, site)
      site.fixture.clock.advance(by: site.fixture.server.configuration.lifetimes.reuseInterval)
      // After the interval, a replaced token counts as stolen, so the grant is revoked.
      expectTokenError(try await site.refresh(tokens.refresh, .claimedHTTPS), "invalid_grant")
      try await Self.require(nil, of: .claimedHTTPS, site)
      expectTokenError(try await site.refresh(successor.refresh, .claimedHTTPS), "invalid_grant")
    }
  }

  @Test("S-17: the level of a scope value also applies to individual requests for its claims, even in a narrower refresh")
  func requestedClaims() async throws {
    try await withSite { site in
      let request = AuthorizeParameters(.claimedHTTPS).with("scope", "openid offline_access")
        .with("claims", #"{"userinfo":{"email":null}}"#)
      let tokens = try Tokens(try await site.redeem(try await site.code(request), .claimedHTTPS))
      let code = try await site.code(request)
      // Another server process on the same database requires phr for the scope value email.
      let strict = try site.fixture.otherProcess { $0.requiredContexts = ["email": "phr"] }
      try await withSite(site.fixture, AuthorizationServerRouter(server: strict, failuresPerSecond: 0)) { strictSite in
        for changes in [[:], ["scope": "openid"]] {
          expectTokenError(try await strictSite.refresh(tokens.refresh, .claimedHTTPS, changing: changes), "invalid_grant")
        }
        expectTokenError(try await strictSite.redeem(code, .claimedHTTPS), "invalid_grant")
      }
      #expect(try await site.refresh(tokens.refresh, .claimedHTTPS).status == .ok)
    }
  }

  @Test(
    "S-17: a request that needs a level that the server does not support or does not know fails with an error",
    arguments: ["phrh", "new"])
  func unreachable(context: String) async throws {
    try await withSite { site in
      for client in [TestClient.claimedHTTPS, .loopback] { try await Self.require(context, of: client, site) }
      let request = Self.request()
      expectErrorRedirect(try await TestBrowser(site).authorize(request), "unmet_authentication_requirements", request)
      expectTokenError(try await site.post("/par", request.list), "unmet_authentication_requirements")
      expectTokenError(
        try await site.post("/device_authorization", [("client_id", "loopback")]), "unmet_authentication_requirements")
    }
  }

  @Test("the default_acr_values of a client count as acr_values, unless the request has its own")
  func defaults() async throws {
    try await withSite { site in
      var client = try TestClient.claimedHTTPS.record
      client.details.defaultACRValues = ["phr"]
      try await site.add(client)
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.web))
      site.fixture.clock.advance(by: .seconds(1))
      #expect(try await browser.authorize(AuthorizeParameters(.claimedHTTPS)).isSignInPage)
      #expect(try await browser.authorize(AuthorizeParameters(.claimedHTTPS).with("acr_values", "1")).isConsentPage)
    }
  }
}
