import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Audit trail: sign-ins, grants, and revocations")
struct AuditTrailTests {
  @Test(
    "a sign-in is recorded with its account, session, and request ID; a grant is also recorded with its client; a refresh is not recorded"
  )
  func signIn() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      site.fixture.clock.advance(by: .milliseconds(5))
      let response = try await browser.decide(page, "allow")
      let tokens = try Tokens(try await site.redeem(try #require(response.parameters["code"])))
      let second = try Tokens(try await site.refresh(tokens.refresh))
      _ = try await site.refresh(second.refresh)
      _ = try await site.userinfo(tokens.access)

      let trail = try await site.trail()
      #expect(trail.map(\.words) == ["signed-in", "grant-issued consent-given"])
      let account = try await site.account()
      #expect(trail.allSatisfy { $0.account == account && $0.origin.source == .request && $0.session == trail[0].session })
      #expect(trail[0].session?.isEmpty == false && trail[0].client == nil)
      #expect(trail[1].client == TestClient.loopback.id)
      #expect(trail[1].at == site.fixture.clock.now)
      let requestID = try #require(response.requestID)
      #expect(trail[1].origin.requestID == requestID && trail[0].origin.requestID != requestID)
      let grant = try #require(trail[1].grant)
      #expect(try await site.fixture.store.read { (tx) throws(StoreError) in try tx.grant(grant) }?.account == account)
    }
  }

  @Test("a grant by remembered consent is recorded as consent-remembered, and a denial as consent-denied")
  func consent() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      for _ in 0..<2 { _ = try await browser.complete(AuthorizeParameters(.claimedHTTPS)) }
      _ = try await browser.decide(try await browser.authorize(AuthorizeParameters()), nil)
      let trail = try await site.trail()
      #expect(
        trail.map(\.words) == [
          "signed-in", "grant-issued consent-given", "grant-issued consent-remembered", "consent-denied",
        ])
      #expect(trail[3].client == TestClient.loopback.id && trail[3].session == trail[0].session)
    }
  }

  @Test("S-22, S-23: reuse of a code or refresh token is recorded once, with the grant that is revoked")
  func reuse() async throws {
    try await withSite { site in
      let code = try await site.code()
      _ = try await site.redeem(code)
      for _ in 0..<2 { expectTokenError(try await site.redeem(code), "invalid_grant") }
      let first = try await site.tokens()
      let second = try Tokens(try await site.refresh(first.refresh))
      _ = try await site.refresh(second.refresh)
      for _ in 0..<2 { expectTokenError(try await site.refresh(first.refresh), "invalid_grant") }
      let trail = try await site.trail { $0.events = [.grantIssued, .codeReplayed, .refreshTokenReused] }
      #expect(trail.map(\.event) == [.grantIssued, .codeReplayed, .grantIssued, .refreshTokenReused])
      for (grant, reuse) in [(0, 1), (2, 3)] {
        #expect(trail[grant].grant == trail[reuse].grant && trail[grant].account == trail[reuse].account)
        #expect(trail[reuse].client == TestClient.loopback.id && trail[reuse].origin.requestID != nil)
      }
    }
  }

  @Test("a revocation by the token's client is recorded once; an attempt by another client is not recorded")
  func revocation() async throws {
    try await withSite { site in
      // The tokens of the client "loopback".
      let tokens = try await site.tokens()
      for client in ["rs256", "loopback", "loopback"] {
        _ = try await site.post("/revoke", [("token", tokens.refresh), ("client_id", client)])
      }
      let trail = try await site.trail()
      #expect(trail.map(\.words) == ["signed-in", "grant-issued consent-given", "token-revoked"])
      #expect(trail[2].grant == trail[1].grant)
    }
  }

  @Test("the revocation of a client credentials token is recorded once")
  func ownTokenRevoked() async throws {
    try await withSite { site in
      var client = try TestClient.web.record
      client.grantTypes.append(.clientCredentials)
      try await site.add(client)
      let credentials: [(name: String, value: String)] = [("client_id", "web"), ("client_secret", TestClient.secret)]
      let reply = try await site.post("/token", credentials + [("grant_type", "client_credentials")])
      let token = try #require(reply.json["access_token"])
      for _ in 0..<2 { _ = try await site.post("/revoke", credentials + [("token", token)]) }
      let trail = try await site.trail()
      #expect(trail.map(\.words) == ["token-revoked"])
      #expect(trail.first?.client == client.id && trail.first?.grant == nil)
    }
  }

  @Test("a sign-out is recorded with its initiator")
  func signOut() async throws {
    try await withSite { site in
      var client = try TestClient.web.record
      client.details.postLogoutRedirectURIs = ["https://web.example/bye"]
      try await site.add(client)
      let browser = TestBrowser(site)
      let hint = try await self.idToken(site, browser)
      // The first sign-out is on the server's own page, and the others are requests of the app.
      try await browser.signOut()
      for query in ["client_id=web", "id_token_hint=\(hint)"] {
        _ = try await self.idToken(site, browser)
        _ = try await browser.submit(try await browser.open("/end-session?\(query)"), [])
      }
      let trail = try await site.trail { $0.events = [.signedIn, .signedOut] }
      let signOuts = trail.filter { $0.event == .signedOut }
      #expect(signOuts.map(\.reason) == [.user, .app, .hint])
      #expect(signOuts.map(\.client) == [nil, client.id, client.id])
      let ada = try await site.account()
      #expect(signOuts.allSatisfy { $0.account == ada })
      let signIns = trail.filter { $0.event == .signedIn }
      #expect(signOuts.map(\.session) == signIns.map(\.session))
    }
  }

  private func idToken(_ site: Site, _ browser: TestBrowser) async throws -> String {
    // With prompt=consent, the consent page is shown each time, so the steps are always the same.
    let request = AuthorizeParameters(.web).with("prompt", "consent")
    let code = try #require(try await browser.complete(request).parameters["code"])
    return try Tokens(try await site.redeem(code, .web)).id
  }

  @Test(
    "a device's sign-in is recorded when the user decides and when the device redeems the code; a second redemption is a replay")
  func device() async throws {
    try await withSite { site in
      var client = try TestClient.loopback.record
      client.grantTypes.append(.deviceCode)
      try await site.add(client)
      let browser = TestBrowser(site)
      for decision in ["deny", "allow"] {
        let reply = try await site.post("/device_authorization", [("client_id", "loopback"), ("scope", "openid offline_access")])
        let (code, userCode) = (try #require(reply.json["device_code"]), try #require(reply.json["user_code"]))
        var page = try await browser.submit(try await browser.open("/device"), [("user_code", userCode)])
        if page.isSignInPage { page = try await browser.signIn(page) }
        _ = try await browser.decide(page, decision)
        for _ in 0..<3 {
          site.fixture.clock.advance(by: .seconds(5))
          _ = try await site.post(
            "/token",
            [
              ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code), ("client_id", "loopback"),
            ])
        }
      }
      let trail = try await site.trail()
      #expect(trail.map(\.words) == ["signed-in", "device-denied", "device-approved", "grant-issued device", "code-replayed"])
      #expect(trail.dropFirst().allSatisfy { $0.client == client.id && $0.account == trail[0].account })
      #expect(trail[3].grant == trail[4].grant && trail[3].session == nil && trail[2].session == trail[0].session)
    }
  }

  @Test("a failed logout delivery is recorded with the client and the reason", arguments: [400, 500])
  func logoutNotDelivered(status: Int) async throws {
    let transport = FakeTransport()
    transport.on(Site.backChannelLogoutURI, respond: .text("", status: .init(code: status)))
    try await withSite(transport: transport) { site in
      try await site.registerLogoutURI(for: .web)
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.web))
      try await browser.signOut()
      // After a response with status 500, the server repeats the request after increasing delays, and gives up after
      // six attempts. After status 400, it does not repeat the request.
      for delay in [10, 60, 600, 3600, 6 * 3600, 0] {
        _ = try await site.deliver()
        site.fixture.clock.advance(by: .seconds(delay))
      }
      let trail = try await site.trail { $0.events = [.logoutNotDelivered, .signedOut] }
      // The store contains earlier names of some reasons: `person` is `AuditReason.user`, and `refused` is `.rejected`.
      #expect(trail.map(\.words) == ["signed-out person", "logout-not-delivered \(status == 400 ? "refused" : "given-up")"])
      #expect(trail[1].client == TestClient.web.id && trail[1].session == trail[0].session && trail[1].origin == .server)
    }
  }

  @Test("a second decision, and a decision in a session that has ended, are not recorded")
  func atomicity() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      _ = try await browser.decide(page, "allow")
      let before = try await site.events()
      expectErrorPage(try await browser.decide(page, "allow"))
      expectErrorPage(try await browser.decide(page, nil))
      #expect(try await site.events() == before)
      let other = try await browser.authorize(AuthorizeParameters())
      try await site.fixture.server.accounts.disable("ada")
      _ = try await browser.decide(other, "allow")
      #expect(try await site.events() == before + ["account-disabled"])
    }
  }
}
