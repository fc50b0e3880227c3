import Sallyport
import SallyportProtocol
import SallyportTesting
import TestSupport
import Testing

@Suite("Several sessions in one store", .timeLimit(.minutes(1)))
struct StoredSessionsTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  /// Signs in. The tokens are `access-TOKEN` and `refresh-TOKEN`.
  private func signIn(account: String? = nil, token: String) async throws -> OAuthSession {
    let browser = try self.fixture.browser()
    self.fixture.grantTokens(to: browser, access: "access-\(token)", refresh: "refresh-\(token)")
    return try await self.fixture.client(account: account).signIn(scopes: [.openID], via: browser, receiver: browser)
  }

  @Test("each account at an issuer has its own session, and ending one session keeps the others")
  func accounts() async throws {
    let work = try await self.signIn(account: "work", token: "w")
    _ = try await self.signIn(account: "home", token: "h")
    _ = try await self.signIn(token: "d")
    #expect(try await self.fixture.client(account: "work").restoreSession()?.accessToken().reveal() == "access-w")
    #expect(try await self.fixture.client(account: "home").restoreSession()?.accessToken().reveal() == "access-h")
    // An empty name stands for the session without an account name.
    #expect(try await self.fixture.client(account: "").restoreSession()?.accessToken().reveal() == "access-d")
    #expect(try await self.fixture.store.storedSessions().map(\.account) == ["work", "home", nil])
    // No session was replaced, so no token was revoked.
    #expect(self.fixture.transport.requests(to: SignInFixture.revokeURL).isEmpty)

    try await work.signOut()
    #expect(try await self.fixture.client(account: "work").restoreSession() == nil)
    #expect(try await self.fixture.client(account: "home").restoreSession() != nil)
    #expect(try await self.fixture.store.storedSessions().map(\.account) == ["home", nil])
  }

  @Test("after several sign-ins to one account, its session is listed once")
  func listedOnce() async throws {
    for number in 1...3 { _ = try await self.signIn(token: "\(number)") }
    let session = try #require(try await self.fixture.store.storedSessions().first)
    #expect(try await self.fixture.store.storedSessions().count == 1)
    #expect(session.issuer == self.fixture.server.issuer)
    #expect(session.clientID == self.fixture.clientID)
  }

  @Test("a damaged list of sessions hides a session only until its next sign-in, and ends no session")
  func damagedList() async throws {
    _ = try await self.signIn(token: "1")
    try await self.fixture.store.save(Secret([1, 2, 3]), for: TokenStoreKey(kind: "sessions", issuer: "", clientID: ""))
    #expect(try await self.fixture.store.storedSessions().isEmpty)
    #expect(try await self.fixture.client().restoreSession() != nil)
    _ = try await self.signIn(token: "2")
    #expect(try await self.fixture.store.storedSessions().count == 1)
  }

  @Test("a session whose tokens cannot be read is listed, so that the user can sign out of it")
  func damagedTokens() async throws {
    _ = try await self.signIn(account: "work", token: "w")
    _ = try await self.signIn(account: "home", token: "h")
    let key = TokenStoreKey(kind: "grant", issuer: SignInFixture.issuer, clientID: "notes", account: "work")
    let store = PartlyDamagedStore(base: self.fixture.store, damaged: key)
    #expect(try await store.storedSessions().map(\.account) == ["work", "home"])
    let client = OAuthClient(
      issuer: self.fixture.server.issuer, clientID: "notes", store: store, transport: self.fixture.transport, account: "work",
      now: self.fixture.clock.dates)
    #expect(try await client.signOut() == .notReached)
    #expect(try await self.fixture.store.storedSessions().map(\.account) == ["home"])
  }

  @Test("with revokesReplaced, a new sign-in revokes the refresh token of the session that it replaces")
  func replaced() async throws {
    let old = try await self.signIn(token: "old")
    let browser = try self.fixture.browser()
    self.fixture.grantTokens(to: browser, access: "access-new")
    _ = try await self.fixture.client().signIn(
      SignInOptions(scopes: [.openID], revokesReplaced: true), via: browser, receiver: browser)
    let requests = self.fixture.transport.requests(to: SignInFixture.revokeURL)
    #expect(requests.compactMap { $0.form?["token"] } == ["refresh-old"])
    #expect(try await self.fixture.client().restoreSession()?.accessToken().reveal() == "access-new")
    // A session object with the old tokens returns the old access token until it refreshes.
    self.fixture.clock.advance(by: .seconds(550))
    #expect(try await old.accessToken(minimumLifetime: .seconds(10)).reveal() == "access-old")
  }

  @Test(
    "with revokesReplaced, the revocation endpoint of the RFC 8414 document is used if the OpenID configuration has none"
  )
  func replacedElsewhere() async throws {
    let fixture = try SignInFixture { $0.metadata.revocationEndpoint = nil }
    var document = fixture.server.metadata
    document.revocationEndpoint = SignInFixture.revokeURL
    fixture.transport.on(SignInFixture.oauthMetadataURL, respond: .json(encoding: document))
    _ = try await fixture.signIn()
    let browser = try fixture.browser()
    fixture.grantTokens(to: browser, access: "access-2", refresh: "refresh-2")
    _ = try await fixture.client().signIn(
      SignInOptions(scopes: [.openID], revokesReplaced: true), via: browser, receiver: browser)
    #expect(fixture.transport.requests(to: SignInFixture.revokeURL).compactMap { $0.form?["token"] } == ["refresh-1"])
  }

  @Test("a failed sign-in keeps the existing session")
  func failedSignIn() async throws {
    _ = try await self.signIn(token: "old")
    let browser = try FakeBrowser { [SignInFixture.response(to: $0, iss: "https://evil.example")] }
    await #expect(throws: SignInError.self) {
      try await self.fixture.client().signIn(scopes: [.openID], via: browser, receiver: browser)
    }
    #expect(try await self.fixture.client().restoreSession()?.accessToken().reveal() == "access-old")
    #expect(self.fixture.transport.requests(to: SignInFixture.revokeURL).isEmpty)
  }

  @Test("by default, the tokens of a replaced session are not revoked, because many servers would end the new session too")
  func notRevoked() async throws {
    _ = try await self.signIn(token: "old")
    let browser = try self.fixture.browser()
    self.fixture.grantTokens(to: browser, access: "access-new")
    _ = try await self.fixture.client().signIn(
      SignInOptions(scopes: [.openID]), via: browser, receiver: browser)
    #expect(self.fixture.transport.requests(to: SignInFixture.revokeURL).isEmpty)
  }
}
