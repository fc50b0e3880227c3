import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

@Suite("Sign-out", .timeLimit(.minutes(1)))
struct SignOutTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  @Test("sign-out revokes the refresh token and the access token, and removes them from the store")
  func revokes() async throws {
    let session = try await self.fixture.signIn()
    let events = await session.events
    self.fixture.transport.on(SignInFixture.revokeURL, respond: .json(""))
    #expect(try await session.signOut() == .revoked)
    let forms = self.fixture.transport.requests(to: SignInFixture.revokeURL).compactMap(\.form)
    #expect(forms.map { $0["token"] } == ["refresh-1", "access-1"])
    #expect(forms.map { $0["token_type_hint"] } == ["refresh_token", "access_token"])
    #expect(forms.allSatisfy { $0["client_id"] == "notes" })
    #expect(self.fixture.store.keys.allSatisfy { $0.kind != "grant" })
    await #expect(throws: SessionError.signInRequired(.signedOut)) { try await session.accessToken() }
    var received: [SessionEvent] = []
    for await event in events { received.append(event) }
    #expect(received == [.ended(.signedOut)])
  }

  @Test("a server that cannot be reached does not prevent the local sign-out")
  func offline() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.revokeURL, fail: .unreachable(reason: "offline"))
    #expect(try await session.signOut() == .notReached)
    #expect(self.fixture.store.keys.allSatisfy { $0.kind != "grant" })
  }

  @Test("after another process has refreshed the tokens, sign-out revokes the refreshed tokens")
  func revokesTheNewest() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2"))
    try await self.fixture.client().restoreSession()?.refresh()
    self.fixture.transport.on(SignInFixture.revokeURL, respond: .json(""))
    try await session.signOut()
    let forms = self.fixture.transport.requests(to: SignInFixture.revokeURL).compactMap(\.form)
    #expect(forms.map { $0["token"] } == ["refresh-2", "access-2"])
  }

  @Test(
    "a token that the server has already forgotten counts as revoked",
    arguments: [(400, "invalid_token"), (400, "invalid_grant"), (401, "invalid_token"), (200, "invalid_token")])
  func forgotten(_ status: Int, _ code: String) async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.revokeURL) { request in
      .success(request.index == 0 ? .json("") : SignInFixture.error(code, status: .init(code: status)))
    }
    #expect(try await session.signOut() == .revoked)
  }

  @Test(
    "an error response with unsupported_token_type or with status 503 does not count as a revocation",
    arguments: [(400, "unsupported_token_type"), (503, "invalid_token")])
  func notRevoked(_ status: Int, _ code: String) async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.revokeURL, respond: SignInFixture.error(code, status: .init(code: status)))
    #expect(try await session.signOut() == .notReached)
  }

  @Test("if the server has no revocation endpoint, the tokens are removed, and the outcome is notOffered")
  func notOffered() async throws {
    let fixture = try SignInFixture { $0.metadata.revocationEndpoint = nil }
    let session = try await fixture.signIn()
    #expect(try await session.signOut() == .notOffered)
    #expect(fixture.store.keys.allSatisfy { $0.kind != "grant" })
  }

  @Test("if the OpenID configuration names no revocation endpoint, the endpoint in the RFC 8414 document is used")
  func revocationElsewhere() async throws {
    let fixture = try SignInFixture { $0.metadata.revocationEndpoint = nil }
    let session = try await fixture.signIn()
    var document = fixture.server.metadata
    document.revocationEndpoint = SignInFixture.revokeURL
    fixture.transport.on(SignInFixture.oauthMetadataURL, respond: .json(encoding: document))
    fixture.transport.on(SignInFixture.revokeURL, respond: .json(""))
    #expect(try await session.signOut() == .revoked)
    #expect(fixture.transport.requests(to: SignInFixture.revokeURL).count == 2)
  }

  @Test(
    "C-23, C-32: no token is sent to a revocation endpoint that uses http, or that an RFC 8414 document of another issuer names",
    arguments: ["https://evil.example", nil])  // nil stands for the correct issuer with an http endpoint.
  func unsafeRevocation(issuer: String?) async throws {
    let fixture = try SignInFixture { $0.metadata.revocationEndpoint = nil }
    let session = try await fixture.signIn()
    var document = fixture.server.metadata
    document.issuer = issuer ?? document.issuer
    document.revocationEndpoint = issuer == nil ? "http://127.0.0.1/revoke" : SignInFixture.revokeURL
    fixture.transport.on(SignInFixture.oauthMetadataURL, respond: .json(encoding: document))
    let before = fixture.transport.requests.count
    #expect(try await session.signOut() == .notOffered)
    #expect(fixture.transport.requests.count == before + 1)
  }

  @Test(
    "if the server rejects revocation by a public client, as Canaille does, the tokens are removed, and the outcome is notReached"
  )
  func revocationRefused() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(
      SignInFixture.revokeURL, respond: .json(#"{"error":"invalid_client"}"#, status: .unauthorized))
    #expect(try await session.signOut() == .notReached)
    #expect(self.fixture.store.keys.allSatisfy { $0.kind != "grant" })
  }

  @Test("a user can sign out even if the stored tokens cannot be read")
  func damaged() async throws {
    _ = try await self.fixture.signIn()
    let key = TokenStoreKey(kind: "grant", issuer: SignInFixture.issuer, clientID: "notes")
    try await self.fixture.store.save(Secret(Array("{}".utf8)), for: key)
    await #expect(throws: SessionError.store(.damaged(reason: "the stored session cannot be read"))) {
      try await self.fixture.client().restoreSession()
    }
    #expect(try await self.fixture.client().signOut() == .notReached)
    #expect(try await self.fixture.client().restoreSession() == nil)
  }

  @Test(
    "after another process has signed out without reaching the server, sign-out revokes the tokens that the session still has"
  )
  func signedOutElsewhere() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.transport.on(SignInFixture.revokeURL, fail: .unreachable(reason: "offline"))
    #expect(try await self.fixture.client().signOut() == .notReached)
    #expect(try await session.signOut() == .notReached)
    self.fixture.transport.on(SignInFixture.revokeURL, respond: .json(""))
    #expect(try await session.signOut() == .revoked)
    let forms = self.fixture.transport.requests(to: SignInFixture.revokeURL).compactMap(\.form)
    #expect(forms.suffix(2).map { $0["token"] } == ["refresh-1", "access-1"])
  }

  @Test("if the task of a sign-out is canceled, the tokens are still removed, and the revocation continues")
  func canceled() async throws {
    _ = try await self.fixture.signIn()
    let client = OAuthClient(
      issuer: self.fixture.server.issuer, clientID: self.fixture.clientID, store: CancelableStore(base: self.fixture.store),
      transport: self.fixture.transport, appName: "Notes", now: self.fixture.clock.dates)
    let session = try #require(try await client.restoreSession())
    let gate = Gate()
    self.fixture.transport.on(SignInFixture.revokeURL) { _ in
      await gate.wait()
      return .success(.json(""))
    }
    let signOut = Task { try await session.signOut() }
    await self.fixture.transport.waitForRequests(1, to: SignInFixture.revokeURL)
    signOut.cancel()
    #expect(try await signOut.value == .notReached)
    #expect(self.fixture.store.keys.allSatisfy { $0.kind != "grant" })
    gate.open()
    await self.fixture.transport.waitForRequests(2, to: SignInFixture.revokeURL)
    let forms = self.fixture.transport.requests(to: SignInFixture.revokeURL).compactMap(\.form)
    #expect(forms.map { $0["token"] } == ["refresh-1", "access-1"])
  }

  /// A store whose calls fail if the task is canceled, as those of the Secret Service do.
  private struct CancelableStore: TokenStore {
    let base: MemoryTokenStore

    func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
      try self.checkCancellation()
      return try await self.base.load(key)
    }

    func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
      try self.checkCancellation()
      try await self.base.save(value, for: key)
    }

    func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
      try self.checkCancellation()
      try await self.base.remove(key)
    }

    func withLease<R: Sendable>(on key: TokenStoreKey, _ body: @Sendable () async throws -> R) async throws -> R {
      try await self.base.withLease(on: key, body)
    }

    private func checkCancellation() throws(TokenStoreError) {
      if Task.isCancelled { throw .unavailable(reason: "the call was canceled") }
    }
  }

  @Test("signing out without a session returns nil")
  func nobody() async throws {
    #expect(try await self.fixture.client().signOut() == nil)
  }
}
