import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Back-channel logout", .timeLimit(.minutes(5)))
struct BackChannelLogoutTests {
  private let transport = FakeTransport()

  init() {
    self.transport.on(Site.backChannelLogoutURI, respond: .text("", status: .ok))
  }

  private var received: [FakeTransport.RecordedRequest] { self.transport.requests(to: Site.backChannelLogoutURI) }

  @Test("the metadata announces back-channel logout with sid, but not if the server cannot send requests")
  func metadata() async throws {
    for transport in [self.transport, nil] {
      try await withSite(transport: transport) { site in
        let body = try await site.send(.get, "/.well-known/openid-configuration").body
        for name in ["backchannel_logout_supported", "backchannel_logout_session_supported"] {
          #expect(body.contains(#""\#(name)":true"#) == (transport != nil))
        }
      }
    }
  }

  @Test(
    "when a user signs out, the app receives a logout token as in Back-Channel Logout §2.4",
    arguments: ["ES256", "RS256"])
  func logoutToken(algorithm: String) async throws {
    try await withSite(transport: self.transport) { site in
      try await site.registerLogoutURI(for: .web)
      var client = try #require(try await site.client("web"))
      client.signingAlgorithm = algorithm
      try await site.add(client)
      let browser = TestBrowser(site)
      let tokens = try Tokens(
        try await site.redeem(try #require(try await browser.complete(AuthorizeParameters(.web)).parameters["code"]), .web))
      let idToken = try decodedClaims(of: tokens.id)
      let sid = try #require(idToken["sid"] as? String)
      // Clients receive the `sid`, so it must not be the secret in the cookie.
      #expect(!browser.cookies.values.contains { $0.contains(sid) })
      try await browser.signOut()
      #expect(try await site.deliveries().count == 1 && self.received.isEmpty)
      #expect(try await site.deliver() == [.delivered])
      #expect(try await site.deliveries().isEmpty)

      let request = try #require(self.received.first)
      #expect(request.head.method == .post && self.received.count == 1)
      let token = try #require(request.form?["logout_token"])
      #expect(request.form.map { Array($0.names) } == ["logout_token"])
      let jws = try JWSCompact(token, maximumLength: 16 << 10)
      #expect(jws.header.isType("logout+jwt") && jws.header.algorithm == algorithm)
      let key = try #require(try await site.fixture.server.cache.keyRing().key(id: jws.header.keyID ?? ""))
      #expect(key.isValid(jws.signature, for: jws.signingInput))
      let claims = try decodedClaims(of: token)
      #expect(Set(claims.keys) == ["iss", "sub", "aud", "iat", "exp", "jti", "events", "sid"])
      #expect(claims["iss"] as? String == "https://id.example" && claims["aud"] as? String == "web")
      #expect(claims["sub"] as? String == idToken["sub"] as? String && claims["sid"] as? String == sid)
      #expect(claims["iat"] as? Int64 == site.now && claims["exp"] as? Int64 == site.now + 120)
      let events = try #require(claims["events"] as? [String: [String: String]])
      #expect(events == ["http://schemas.openid.net/event/backchannel-logout": [:]])
    }
  }

  @Test("a logout token is not a valid id_token_hint")
  func noHint() async throws {
    try await withSite(transport: self.transport) { site in
      try await site.registerLogoutURI(for: .web)
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.web))
      try await browser.signOut()
      _ = try await site.deliver()
      let token = try #require(self.received.first?.form?["logout_token"])
      expectErrorPage(try await TestBrowser(site).open("/end-session?id_token_hint=\(token)"))
    }
  }

  @Test(
    "RP-initiated logout sends a token to those apps of the session that have a logout URI, and none for another session")
  func everyApp() async throws {
    try await withSite(transport: self.transport) { site in
      self.transport.on("https://other.example/bye", respond: .text("", status: .noContent))
      try await site.registerLogoutURI(for: .web)
      try await site.registerLogoutURI(for: .claimedHTTPS, at: "https://other.example/bye")
      let (browser, other) = (TestBrowser(site), TestBrowser(site))
      for client in [TestClient.web, .claimedHTTPS, .loopback] { _ = try await browser.complete(AuthorizeParameters(client)) }
      // A second sign-in to the same app must not cause a second logout token.
      _ = try await browser.complete(AuthorizeParameters(.web))
      _ = try await other.complete(AuthorizeParameters(.web))
      let page = try await browser.open("/end-session?client_id=web&post_logout_redirect_uri=https%3A%2F%2Fweb.example%2Fbye")
      #expect(try await site.deliveries().isEmpty)
      #expect(try await browser.submit(page, []).location == "https://web.example/bye")
      #expect(Set(try await site.deliveries().map(\.client.rawValue)) == ["web", "claimed"])
      #expect(try await site.deliver() == [.delivered, .delivered])
      #expect(self.received.count == 1 && self.transport.requests.count == 2)
      #expect(try await other.authorize(AuthorizeParameters(.web)).isSignInPage == false)
      try await other.signOut()
      _ = try await site.deliver()
      // The two logout tokens for `web` name different sessions.
      let sids = try self.received.compactMap { $0.form?["logout_token"] }.map { try decodedClaims(of: $0)["sid"] as? String }
      #expect(Set(sids).count == 2)
    }
  }

  @Test("a sign-out revokes the session's grants and codes, except grants with offline_access")
  func grants() async throws {
    try await withSite(transport: self.transport) { site in
      let browser = TestBrowser(site)
      let online = AuthorizeParameters(.web).with("scope", "openid profile")
      let code = try #require(try await browser.complete(online).parameters["code"])
      let token = try #require(try await site.redeem(code, .web).json["access_token"])
      let unused = try #require(try await browser.complete(online).parameters["code"])
      let offlineTokens = try Tokens(
        try await site.redeem(try #require(try await browser.complete(AuthorizeParameters(.web)).parameters["code"]), .web))
      try await browser.signOut()
      #expect(try await site.userinfo(token).status == .unauthorized)
      expectTokenError(try await site.redeem(unused, .web), "invalid_grant")
      #expect(try await site.refresh(offlineTokens.refresh, .web).status == .ok)
      #expect(Set(try site.fixture.revocations()) == ["signedOut"])
    }
  }

  @Test("a new sign-in of the same user keeps the session ID; a sign-in of another user does not sign the first user out")
  func sameSession() async throws {
    try await withSite(transport: self.transport) { site in
      try await site.registerLogoutURI(for: .web)
      let browser = TestBrowser(site)
      func sid(_ request: AuthorizeParameters, as username: String = "ada") async throws -> String? {
        var reply = try await browser.authorize(request)
        if reply.isSignInPage { reply = try await browser.signIn(reply, as: username) }
        if reply.isConsentPage { reply = try await browser.decide(reply, "allow") }
        let response = try await site.redeem(try #require(reply.parameters["code"]), .web)
        return try decodedClaims(of: try Tokens(response).id)["sid"] as? String
      }
      let first = try await sid(AuthorizeParameters(.web))
      site.fixture.clock.advance(by: .seconds(60))
      let login = AuthorizeParameters(.web).with("prompt", "login")
      #expect(try await sid(login) == first)
      #expect(try await site.deliveries().isEmpty)
      site.fixture.clock.advance(by: .seconds(60))
      #expect(try await sid(login, as: "bob") != first)
      #expect(try await site.deliveries().isEmpty)
      try await browser.signOut()
      #expect(try await site.deliveries().count == 1)
    }
  }

  @Test("a new password and a disabled account also notify the apps", arguments: [true, false])
  func accountChanges(disablesAccount: Bool) async throws {
    try await withSite(transport: self.transport) { site in
      try await site.registerLogoutURI(for: .web)
      for _ in 0..<2 { _ = try await TestBrowser(site).complete(AuthorizeParameters(.web)) }
      _ = try await TestBrowser(site).complete(AuthorizeParameters(.web), as: "bob")
      if disablesAccount {
        try await site.fixture.server.accounts.disable("ada")
      } else {
        try await site.fixture.server.accounts.setPassword(Secret(TestServer.otherPassword), of: "ada")
      }
      #expect(try await site.deliver() == [.delivered, .delivered])
    }
  }

  @Test("an app that did not request the openid scope is not notified")
  func withoutOpenID() async throws {
    try await withSite(transport: self.transport) { site in
      try await site.registerLogoutURI(for: .web)
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.web).with("scope", "notes"))
      try await browser.signOut()
      #expect(try await site.deliveries().isEmpty)
    }
  }

  @Test("a self-registered app is notified too, and can register only an https URL on the public internet")
  func registration() async throws {
    try await withSite(transport: self.transport) { site in
      var metadata = Site.mcpClient
      for wrong in [
        "http://web.example/x", "https://127.0.0.1/x", "https://localhost/x", "https://10.1.2.3/x", "https://[fd00::1]/x",
        "http://127.0.0.1/x", "https://web.example/x#f", "ftp://web.example/x", "https://u@web.example/x",
      ] {
        metadata["backchannel_logout_uri"] = .string(wrong)
        expectRegistrationError(try await site.register(metadata), "invalid_client_metadata")
      }
      metadata["backchannel_logout_uri"] = .string(Site.backChannelLogoutURI)
      metadata["backchannel_logout_session_required"] = true
      let reply = try await site.register(metadata)
      let registration = try reply.registration
      #expect(registration.metadata.backchannelLogoutURI == Site.backChannelLogoutURI)
      #expect(registration.metadata.backchannelLogoutSessionRequired == true)
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters().with("client_id", registration.clientID))
      try await browser.signOut()
      #expect(try await site.deliver() == [.delivered])
    }
  }

  @Test("a loopback address in the record of a self-registered client is never requested")
  func ownNetwork() async throws {
    try await withSite(transport: self.transport) { site in
      try await site.registerLogoutURI(for: .dynamic, at: "https://127.0.0.1/x")
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.dynamic))
      try await browser.signOut()
      #expect(try await site.deliver() == [.undeliverable])
      #expect(self.transport.requests.isEmpty)
      #expect(try await site.deliveries().isEmpty)
    }
  }
}
