import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Audit trail: rejected attempts, and changes to clients")
struct AuditRejectionTests {
  @Test("a rejected sign-in is recorded with its reason, and with the account only if it exists")
  func signIns() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      let rejected = try await browser.signIn(page, password: "wrong horse")
      _ = try await browser.signIn(page, as: "nobody", password: TestServer.password)
      _ = try await browser.signIn(page, as: TestServer.password, password: String(repeating: "x", count: 2_000))
      try await site.fixture.server.accounts.disable("ada")
      _ = try await browser.signIn(page)
      let trail = try await site.trail { $0.events = [.signInRejected] }
      #expect(trail.map(\.reason) == [.wrongPassword, .unknownAccount, .unknownAccount, .accountDisabled])
      let ada = try await site.account()
      #expect(trail.map(\.account) == [ada, nil, nil, ada])
      #expect(trail.first?.origin.requestID == rejected.requestID)
      // The third attempt has a password in the user name field.
      #expect(!trail.map { "\($0)" }.joined().contains(TestServer.password))
    }
  }

  @Test("after too many failures, attempts are recorded as throttled, and the correct password does not sign in")
  func throttled() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let page = try await browser.authorize(AuthorizeParameters())
      for _ in 0..<30 { _ = try await browser.signIn(page, password: "wrong horse") }
      _ = try await browser.signIn(page)
      // Attempts that are only counted are written to the trail after a minute.
      site.fixture.clock.advance(by: .seconds(60))
      let trail = try await site.trail()
      #expect(Set(trail.map(\.words)) == ["sign-in-refused wrong-password", "sign-in-refused throttled"])
      // `more` is the number of attempts that a record counts. A record that counts attempts has no account.
      let ada = try await site.account()
      #expect(trail.allSatisfy { $0.account == ada || $0.more > 0 })
    }
  }

  @Test("a sign-in that is rejected because too many passwords are being checked is recorded as overloaded")
  func overloaded() async throws {
    try await withSite(hasher: TestPasswordHasher(isOverloaded: true)) { site in
      let browser = TestBrowser(site)
      _ = try await browser.signIn(try await browser.authorize(AuthorizeParameters()))
      #expect(try await site.events() == ["sign-in-refused overloaded"])
    }
  }

  @Test(
    "a failed client authentication is recorded with its reason, and with the client if it was identified",
    arguments: [
      (["client_id": "web", "client_secret": "wrong"], "wrong-secret", "web"),
      (["client_id": "web"], "credentials-missing", "web"),
      (["client_id": "loopback", "client_secret": TestClient.secret], "wrong-method", "loopback"),
      (["client_id": "s3cret", "client_secret": "x"], "unknown-client", nil), ([:], "credentials-missing", nil),
      (
        ["client_id": "web", "client_assertion": "x", "client_assertion_type": Site.assertionType], "wrong-assertion", nil
      ),
    ] as [([String: String], String, String?)])
  func clients(fields: [String: String], reason: String, client: String?) async throws {
    try await withSite { site in
      for path in ["/token", "/revoke", "/introspect", "/par", "/device_authorization"] {
        var form: [(name: String, value: String)] = fields.map { ($0.key, $0.value) }
        form += [("token", "x"), ("grant_type", "refresh_token")]
        expectTokenError(try await site.post(path, form), "invalid_client", status: .unauthorized)
      }
      let trail = try await site.trail()
      #expect(trail.map(\.words) == Array(repeating: "client-authentication-failed \(reason)", count: 5))
      #expect(trail.allSatisfy { $0.client?.rawValue == client && $0.origin.requestID != nil })
    }
  }

  @Test("the second use of a client assertion is recorded as a replay")
  func replayedAssertion() async throws {
    try await withSite { site in
      let key = TestSigningKey.es256(id: "k1")
      _ = try await site.addKeyClient(key)
      let assertion = try jwt(key, site.assertionClaims())
      let form: [(name: String, value: String)] = [
        ("grant_type", "client_credentials"), ("client_assertion_type", Site.assertionType), ("client_assertion", assertion),
      ]
      for _ in 0..<2 { _ = try await site.post("/token", form) }
      let trail = try await site.trail()
      #expect(trail.map(\.words) == ["client-authentication-failed assertion-replayed"])
      #expect(trail.first?.client?.rawValue == "keyed")
    }
  }

  @Test("of 10,000 attempts with unknown user names, ten are recorded and the rest are counted; other attempts are recorded")
  func flood() async throws {
    try await withSite { site in
      let signIn = site.fixture.server.passwordSignIn
      @Sendable func guess(_ username: String, from host: UInt8) async throws {
        let address = ClientAddress("192.0.2.\(host)", bytes: [192, 0, 2, host])
        _ = try await signIn.run(
          username: username, password: Secret("x"), from: address, browser: nil, origin: .request("r", from: "\(address)"))
      }
      for number in 0..<10_000 { try await guess("nobody \(number % 50)", from: 7) }
      try await guess("ada", from: 8)
      _ = try await site.post("/token", [("client_id", "web"), ("client_secret", "x"), ("grant_type", "refresh_token")])
      // There are ten records of the flood, and one each of the attempts on ada and on the client.
      #expect(try await site.trail().count == 12)
      site.fixture.clock.advance(by: .seconds(60))
      let trail = try await site.trail()
      let (rows, counted) = (trail.filter { $0.more == 0 }, trail.filter { $0.more > 0 })
      #expect(rows.count == 12 && rows.count { $0.words == "sign-in-refused unknown-account" } == 10)
      #expect(rows.contains { $0.words == "sign-in-refused wrong-password" && $0.account != nil })
      #expect(rows.contains { $0.words == "client-authentication-failed wrong-secret" })
      #expect(counted.reduce(0) { $0 + $1.more } == 10_000 - 10)
      #expect(Set(counted.map(\.words)) == ["sign-in-refused throttled", "sign-in-refused unknown-account"])
    }
  }

  @Test("of the attempts on many accounts, 60 per minute are recorded, and the rest are counted in one record per minute")
  func floodOfNames() async throws {
    try await withSite { site in
      let rejections = site.fixture.server.rejections
      for minute in 1...2 {
        for number in 0..<1_000 {
          rejections.note(.signInRejected, .wrongPassword, account: AccountID(rawValue: "a\(number)"), from: .server)
        }
        site.fixture.clock.advance(by: .seconds(60))
        let trail = try await site.trail()
        // In each minute, 60 attempts are recorded, and one record has the number of the remaining attempts.
        #expect(trail.count == 61 * minute)
        #expect(trail.filter { $0.more > 0 }.map(\.more) == Array(repeating: 940, count: minute))
      }
    }
  }

  @Test(
    """
    the registration, update, and deletion of a client are recorded, and so is an invalid registration access token, but not a \
    missing one
    """)
  func registration() async throws {
    try await withSite { site in
      let created = try await site.register(Site.mcpClient).registration
      let (id, token) = (created.clientID, try #require(created.registrationAccessToken).reveal())
      var changed = Site.mcpClient
      changed["client_id"] = .string(id)
      _ = try await site.manage(.get, id, token: token)
      _ = try await site.manage(.get, id, token: "x")
      _ = try await site.manage(.get, id, token: nil)
      _ = try await site.manage(.put, id, token: token, changed)
      _ = try await site.manage(.delete, id, token: token)
      let trail = try await site.trail { $0.events = Set(AuditEvent.allCases).subtracting([.registrationRejected]) }
      #expect(trail.map(\.words) == ["client-added itself", "client-changed itself", "client-removed itself"])
      #expect(trail.allSatisfy { $0.client?.rawValue == id && $0.origin.requestID != nil })
      #expect(try await site.events().filter { $0.hasPrefix("registration") } == ["registration-refused wrong-token"])
    }
  }

  @Test(
    "a registration with an initial access token is recorded with the token's label, and the rejection of a used-up token without a label"
  )
  func initialAccessToken() async throws {
    try await withSite(configure: { $0.registration.mode = .token }) { site in
      let (token, now) = (InitialAccessToken.random(), site.fixture.clock.now)
      try await site.fixture.store.write { (tx) throws(StoreError) in
        try tx.insert(
          InitialAccessTokenRecord(
            fingerprint: token.fingerprint, label: "partners", createdAt: now, expiresAt: now + .seconds(60), remainingUses: 1))
      }
      for _ in 0..<2 { _ = try await site.register(Site.mcpClient, token: token.text.reveal()) }
      let trail = try await site.trail()
      #expect(trail.map(\.words) == ["client-added initial-access-token", "registration-refused wrong-token"])
      #expect(trail.map(\.subject) == ["partners", nil])
    }
  }

  @Test("a document client is recorded when it is added, and when its document changes or is withdrawn")
  func documents() async throws {
    let (id, transport) = ("https://editor.example/client.json", FakeTransport())
    let document: JSONValue = ["client_id": .string(id), "client_name": "Editor", "redirect_uris": ["http://127.0.0.1/cb"]]
    transport.on(id, respond: .json(encoding: document))
    let request = AuthorizeParameters().with("client_id", id)
    try await withSite(transport: transport) { site in
      func openNextWeek() async throws {
        site.fixture.clock.advance(by: .seconds(8 * 86_400))
        _ = try await TestBrowser(site).authorize(request)
      }
      try await openNextWeek()
      try await openNextWeek()
      #expect(try await site.events() == ["client-added document"])
      var other = document
      other["client_name"] = "Another"
      transport.on(id, respond: .json(encoding: other))
      try await openNextWeek()
      transport.on(id, respond: .json("", status: .notFound))
      try await openNextWeek()
      let trail = try await site.trail()
      #expect(trail.map(\.words) == ["client-added document", "client-changed document", "client-changed document-withdrawn"])
      #expect(trail.allSatisfy { $0.client?.rawValue == id && $0.origin == .server })
    }
  }
}
