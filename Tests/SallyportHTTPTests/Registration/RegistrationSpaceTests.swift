import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("The table of dynamic clients")
struct RegistrationSpaceTests {
  /// Advances the clock by one second, so that no two clients are equally old, and registers a client.
  private func register(_ site: Site) async throws -> String {
    site.fixture.clock.advance(by: .seconds(1))
    return try await site.register(Site.mcpClient).registration.clientID
  }

  /// Advances the clock by one second, and obtains a grant for the client. A client counts as having obtained a grant
  /// only if the grant is later than the client's creation.
  private func grant(_ client: String, on site: Site) async throws {
    site.fixture.clock.advance(by: .seconds(1))
    let code = try await site.code(AuthorizeParameters().with("client_id", client).with("scope", "openid"))
    #expect(try await site.redeem(code, changing: ["client_id": client]).status == .ok)
  }

  @Test("S-42: when the table is full, a new client replaces the oldest client that never obtained a grant")
  func eviction() async throws {
    // The fixture's dynamic client counts too. It has no expiry, so it is not replaced.
    try await withSite(configure: { $0.registration.maximumClients = 4 }) { site in
      let clients = [try await self.register(site), try await self.register(site), try await self.register(site)]
      try await self.grant(clients[0], on: site)
      // A grant without a refresh token is deleted soon, but the client stays marked as used.
      site.fixture.clock.advance(by: .seconds(2 * 86_400))
      while try await site.fixture.store.removeExpired(before: site.fixture.clock.now, limit: 100) == 100 {}
      let newClient = try await self.register(site)
      #expect(try await site.client(clients[0]) != nil)
      #expect(try await site.client(clients[1]) == nil)
      #expect(try await site.client(clients[2]) != nil)
      #expect(try await site.client(newClient) != nil)
      var query = AuditQuery(limit: 9)
      query.client = ClientID(rawValue: clients[1])
      let trail = try await site.fixture.store.read { [query] (tx) throws(StoreError) in try tx.auditRecords(query) }
      #expect(trail.contains { $0.event == .clientRemoved && $0.reason == .evicted })
    }
  }

  @Test("S-42: if no client can be replaced, a new one is rejected")
  func full() async throws {
    // The third client is the fixture's dynamic client, which has no expiry and is not replaced.
    try await withSite(configure: { $0.registration.maximumClients = 3 }) { site in
      for _ in 0..<2 { try await self.grant(try await self.register(site), on: site) }
      expectRegistrationError(
        try await site.register(Site.mcpClient), "temporarily_unavailable", status: .tooManyRequests)
    }
  }

  @Test("a registration that is rejected because the table is full does not use up its initial access token")
  func fullWithToken() async throws {
    try await withSite(configure: { ($0.registration.mode, $0.registration.maximumClients) = (.token, 0) }) { site in
      let (token, now) = (InitialAccessToken.random(), site.fixture.clock.now)
      let record = InitialAccessTokenRecord(
        fingerprint: token.fingerprint, label: "ci", createdAt: now, expiresAt: now + .seconds(60), remainingUses: 1)
      try await site.fixture.store.write { (tx) throws(StoreError) in try tx.insert(record) }
      expectRegistrationError(
        try await site.register(Site.mcpClient, token: token.text.reveal()), "temporarily_unavailable",
        status: .tooManyRequests)
      let stored = try await site.fixture.store.read { (tx) throws(StoreError) in try tx.initialAccessTokens() }
      #expect(stored.map(\.remainingUses) == [1])
    }
  }

  @Test("S-42: a new document client replaces one that never obtained a grant, and keeps one that obtained a grant")
  func documents() async throws {
    let transport = FakeTransport()
    let urls = (1...3).map { "https://editor-\($0).example/client.json" }
    for url in urls {
      let document: JSONValue = ["client_id": .string(url), "client_name": "Editor", "redirect_uris": ["http://127.0.0.1/cb"]]
      transport.on(url, respond: .json(encoding: document))
    }
    // Document clients are counted separately, so the fixture's dynamic client does not count here.
    try await withSite(transport: transport, configure: { $0.registration.maximumClients = 2 }) { site in
      try await self.grant(urls[0], on: site)
      for url in urls {
        site.fixture.clock.advance(by: .seconds(1))
        #expect(try await TestBrowser(site).authorize(AuthorizeParameters().with("client_id", url)).isPage)
      }
      #expect(try await site.client(urls[0]) != nil)
      #expect(try await site.client(urls[1]) == nil)
      #expect(try await site.client(urls[2]) != nil)
    }
  }
}
