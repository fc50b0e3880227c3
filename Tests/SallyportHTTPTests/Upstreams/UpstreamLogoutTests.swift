import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Logout at upstreams")
struct UpstreamLogoutTests {
  /// Signs in with an ID token of the upstream that contains this `sid`; nil for an ID token without a `sid`.
  private func signedIn(_ site: Site, _ upstream: FakeUpstream, sid: String?) async throws -> TestBrowser {
    upstream.change { $0.claims["sid"] = sid.map { .string($0) } }
    let browser = TestBrowser(site)
    #expect(try await browser.signIn(through: upstream).isConsentPage)
    #expect(try await self.isSignedIn(browser))
    return browser
  }

  private func isSignedIn(_ browser: TestBrowser) async throws -> Bool {
    try await browser.site.fixture.server.sessions.active(browser.session) != nil
  }

  @Test("a logout token with a sid ends the sessions that began with this sid, and notifies the apps")
  func session() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      try await site.registerLogoutURI(for: .web)
      upstream.change { $0.claims["sid"] = "one" }
      let first = TestBrowser(site)
      let consent = try await first.signIn(through: upstream, on: try await first.authorize(AuthorizeParameters(.web)))
      if consent.isConsentPage { _ = try await first.decide(consent, "allow") }
      let second = try await self.signedIn(site, upstream, sid: "two")
      let reply = try await upstream.send(
        logoutToken: try upstream.logoutToken(at: site, changing: ["sid": "one"]), to: site)
      #expect(reply.status == .ok && reply.headers[.cacheControl] == "no-store" && reply.body.isEmpty)
      #expect(try await !self.isSignedIn(first))
      #expect(try await self.isSignedIn(second))
      let deliveries = try await site.fixture.store.read { (tx) throws(StoreError) in try tx.logoutDeliveries() }
      #expect(deliveries.map(\.client.rawValue) == ["web"])
      let ends = try await site.fixture.store.read { (tx) throws(StoreError) in
        var query = AuditQuery(limit: 10)
        query.events = [.signedOut]
        return try tx.auditRecords(query)
      }
      #expect(ends.map(\.reason) == [.upstreamLogout])
      #expect(try await second.open("/account").body.contains("you signed out at the provider"))
    }
  }

  @Test("a logout token without a sid ends all sessions of the user, and is accepted even if the user has no session")
  func user() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let browsers = [
        try await self.signedIn(site, upstream, sid: "one"), try await self.signedIn(site, upstream, sid: nil),
      ]
      upstream.change { $0.claims["sub"] = "subject-2" }
      let other = try await self.signedIn(site, upstream, sid: "one")
      let local = TestBrowser(site)
      _ = try await local.signIn(try await local.open("/account"))
      // After the first logout token, the user has no session.
      for _ in 0..<2 {
        #expect(try await upstream.send(logoutToken: try upstream.logoutToken(at: site), to: site).status == .ok)
      }
      for browser in browsers { #expect(try await !self.isSignedIn(browser)) }
      #expect(try await self.isSignedIn(other))
      #expect(try await self.isSignedIn(local))
    }
  }

  @Test("a session that began with an upstream sign-in and an additional code ends when the session at the upstream ends")
  func afterCode() async throws {
    try await withUpstream { site, upstream in
      let owner = TestBrowser(site)
      _ = try await owner.signIn(try await owner.open("/account"))
      _ = try await owner.connect(upstream)
      let (app, _) = try await TestBrowser(site).addApp()
      upstream.change { $0.claims["sid"] = "one" }
      let browser = TestBrowser(site)
      let page = try await browser.signIn(through: upstream)
      #expect(page.isCodePage)
      _ = try await browser.enter(app.code(at: site.fixture.clock.now), on: page)
      #expect(try await self.isSignedIn(browser))
      let token = try upstream.logoutToken(at: site, changing: ["sid": "one", "sub": nil])
      #expect(try await upstream.send(logoutToken: token, to: site).status == .ok)
      #expect(try await !self.isSignedIn(browser))
    }
  }

  /// - Parameter row: The index of the token in `tokens`.
  @Test("an invalid logout token ends no session, and its sender gets a JSON error", arguments: 0..<25)
  func invalidToken(_ row: Int) async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let evil = try FakeUpstream("evil", on: upstream.transport, issuer: "https://evil.example")
      try await evil.register(at: site)
      let browser = try await self.signedIn(site, upstream, sid: "one")
      let now = site.fixture.clock.now.seconds
      var publicKey: [UInt8] = []
      if case .string(let text)? = upstream.issuer.es256.jwk["x"] { publicKey = try #require(Base64URL.decode(text)) }
      let idToken = try upstream.issuer.token(
        upstream.issuer.claims(clientID: FakeUpstream.clientID, subject: "subject-1", nonce: "nonce", now: site.fixture.clock.now)
      ).reveal()
      let tokens: [() throws -> String] = [
        { try upstream.logoutToken(at: site, changing: ["iss": "https://evil.example"]) },
        { try upstream.logoutToken(at: site, changing: ["aud": "another"]) },
        { try upstream.logoutToken(at: site, changing: ["aud": nil]) },
        { try upstream.logoutToken(at: site, key: .none(id: "es-1")) },
        // Key confusion: an HMAC with the bytes of the public key.
        { try upstream.logoutToken(at: site, key: .hmac(secret: publicKey, id: "es-1")) },
        // Another key with the identifier of the upstream's key.
        { try upstream.logoutToken(at: site, key: .es256(id: "es-1")) },
        { try upstream.logoutToken(at: site, changing: ["nonce": "nonce"]) },
        { try upstream.logoutToken(at: site, changing: ["nonce": .null]) },
        { try upstream.logoutToken(at: site, changing: ["events": nil]) },
        { try upstream.logoutToken(at: site, changing: ["events": [:]]) },
        { try upstream.logoutToken(at: site, changing: ["events": ["another": [:]]]) },
        {
          try upstream.logoutToken(
            at: site, changing: ["events": ["http://schemas.openid.net/event/backchannel-logout": "yes"]])
        },
        // The clocks may differ by 60 seconds. Without exp, a token is valid for 300 seconds.
        { try upstream.logoutToken(at: site, changing: ["exp": .integer(now - 61)]) },
        { try upstream.logoutToken(at: site, changing: ["iat": .integer(now - 361), "exp": nil]) },
        { try upstream.logoutToken(at: site, changing: ["iat": .integer(now + 61)]) },
        { try upstream.logoutToken(at: site, changing: ["iat": nil]) },
        { try upstream.logoutToken(at: site, changing: ["jti": nil]) },
        { try upstream.logoutToken(at: site, changing: ["jti": ""]) },
        // Neither a sub nor a sid.
        { try upstream.logoutToken(at: site, changing: ["sub": nil]) },
        { try upstream.logoutToken(at: site, changing: ["sid": ""]) },
        { try upstream.logoutToken(at: site, header: ["typ": "at+jwt"]) },
        { try upstream.logoutToken(at: site, header: ["crit": ["exp"]]) },
        { idToken },
        { try evil.logoutToken(at: site) },
        { String(repeating: "a", count: 33 << 10) },
      ]
      let reply = try await upstream.send(logoutToken: try tokens[row](), to: site)
      #expect(reply.status == .badRequest && reply.body.contains(#""error":"invalid_request""#), "\(reply.body)")
      #expect(reply.headers[.cacheControl] == "no-store")
      #expect(try await self.isSignedIn(browser))
    }
  }

  @Test("a sid ends only sessions of the same upstream and user")
  func otherUser() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let evil = try FakeUpstream("evil", on: upstream.transport, issuer: "https://evil.example")
      try await evil.register(at: site)
      let browser = try await self.signedIn(site, upstream, sid: "one")
      for token in [
        try evil.logoutToken(at: site, changing: ["sid": "one"]), try evil.logoutToken(at: site),
      ] {
        #expect(try await evil.send(logoutToken: token, to: site).status == .ok)
      }
      let token = try upstream.logoutToken(at: site, changing: ["sid": "one", "sub": "subject-2"])
      #expect(try await upstream.send(logoutToken: token, to: site).status == .ok)
      #expect(try await self.isSignedIn(browser))
    }
  }

  @Test("of 20 simultaneous requests with the same logout token, one is accepted, and a later request is not")
  func replay() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let token = try upstream.logoutToken(at: site)
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<20 {
          group.addTask { Int(try await upstream.send(logoutToken: token, to: site).status.code) }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(statuses.sorted() == [200] + Array(repeating: 400, count: 19))
      // A later replay does not end a session that began after the logout.
      let browser = try await self.signedIn(site, upstream, sid: nil)
      #expect(try await upstream.send(logoutToken: token, to: site).status == .badRequest)
      #expect(try await self.isSignedIn(browser))
    }
  }

  @Test("if a code is redeemed at the same time as the logout, its access token is invalid, except with offline access")
  func raceWithRedemption() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      for round in 0..<10 {
        let sid = "session \(round)"
        upstream.change { $0.claims["sid"] = .string(sid) }
        let browser = TestBrowser(site)
        let isOffline = round == 9
        let scope = isOffline ? "openid offline_access" : "openid"
        let page = try await browser.signIn(
          through: upstream, on: try await browser.authorize(AuthorizeParameters().with("scope", scope)))
        let code = try #require(try await browser.decide(page, "allow").parameters["code"])
        let logout = try upstream.logoutToken(at: site, changing: ["sid": .string(sid)])
        async let redeemed = site.redeem(code)
        #expect(try await upstream.send(logoutToken: logout, to: site).status == .ok)
        let reply = try await redeemed
        guard let access: String = reply.json["access_token"] else {
          #expect(reply.status == .badRequest && !isOffline)
          continue
        }
        #expect(try await site.userinfo(access).status == (isOffline ? .ok : .unauthorized))
        if isOffline { #expect(try await site.refresh(try Tokens(reply).refresh).status == .ok) }
      }
    }
  }

  @Test("each address can send a limited number of invalid tokens, and valid tokens do not count")
  func limit() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let (provider, attacker) = (site.from("203.0.113.5"), site.from("203.0.113.6"))
      for _ in 0..<70 {
        #expect(try await upstream.send(logoutToken: try upstream.logoutToken(at: site), to: provider).status == .ok)
      }
      var statuses: [Int] = []
      for _ in 0..<61 { statuses.append(Int(try await upstream.send(logoutToken: "a", to: attacker).status.code)) }
      #expect(statuses == Array(repeating: 400, count: 60) + [429])
      let reply = try await upstream.send(logoutToken: try upstream.logoutToken(at: site), to: attacker)
      #expect(reply.status == .tooManyRequests && reply.headers[.retryAfter] == "60")
      #expect(try await upstream.send(logoutToken: try upstream.logoutToken(at: site), to: provider).status == .ok)
    }
  }

  @Test("if the provider's metadata or keys cannot be fetched, the sender is asked to try again")
  func unavailable() async throws {
    for isMetadata in [true, false] {
      try await withUpstream { site, upstream in
        let url = isMetadata ? upstream.issuer.configurationURL : upstream.issuer.jwksURL
        upstream.transport.on(url) { _ in .failure(.timedOut) }
        let reply = try await upstream.send(logoutToken: try upstream.logoutToken(at: site), to: site)
        #expect(reply.status == .serviceUnavailable && reply.headers[.retryAfter] == "10")
        #expect(reply.headers[.cacheControl] == "no-store")
      }
    }
  }

  @Test("a request for an unknown upstream or with an invalid form gets a JSON error, and GET is rejected")
  func request() async throws {
    try await withUpstream { site, upstream in
      let token = try upstream.logoutToken(at: site)
      let unknown = try await upstream.send(logoutToken: token, to: site, upstream: "unknown")
      #expect(unknown.status == .notFound && unknown.body.contains("invalid_request"))
      let path = "/upstream/corp/backchannel-logout"
      #expect(try await site.post(path, []).status == .badRequest)
      #expect(try await site.post(path, [("logout_token", token), ("logout_token", token)]).status == .badRequest)
      #expect(try await site.send(.get, path).status == .methodNotAllowed)
    }
  }

  @Test("after a sign-out, the page links to the upstream's sign-out only if the user signed in through the upstream")
  func signOut() async throws {
    try await withUpstream(change: { $0.details.accounts = .create }) { site, upstream in
      let browser = try await self.signedIn(site, upstream, sid: "a&b")
      let page = try await browser.submit(try await browser.open("/sign-out"), [])
      #expect(page.body.contains("Also sign out of"))
      #expect(
        page.body.contains(#"href="https://login.corp.example/logout?client_id=sallyport&amp;logout_hint=a%26b""#), "\(page.body)"
      )

      let local = TestBrowser(site)
      _ = try await local.signIn(try await local.open("/account"))
      let localPage = try await local.submit(try await local.open("/sign-out"), [])
      #expect(localPage.status == .ok && !localPage.body.contains("Also sign out of"))
    }
  }
}
