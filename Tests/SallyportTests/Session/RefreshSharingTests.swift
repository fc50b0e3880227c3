import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

/// Tests that tasks and processes share the results of refreshes. A session that another client object restores
/// simulates a session of another process. The access tokens are valid for 600 seconds.
@Suite("Shared refreshes", .timeLimit(.minutes(1)))
struct RefreshSharingTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  @Test("C-30: many tasks that use one session with an expired token cause one refresh, and all get the new token")
  func oneInFlight() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.rotateStrictly()
    self.fixture.clock.advance(by: .seconds(700))
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await session.accessToken().reveal() } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens == ["access-2"])
    #expect(self.fixture.refreshRequests.count == 1)
  }

  @Test("C-30: many processes that share one rotating token cause one refresh, and no process is signed out")
  func manyProcesses() async throws {
    _ = try await self.fixture.signIn()
    self.fixture.rotateStrictly()
    self.fixture.clock.advance(by: .seconds(700))
    let fixture = self.fixture
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 {
        group.addTask {
          let session = try #require(try await fixture.client().restoreSession())
          return try await session.accessToken().reveal()
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens == ["access-2"])
    #expect(self.fixture.refreshRequests.count == 1)
    let session = try #require(try await self.fixture.client().restoreSession())
    self.fixture.clock.advance(by: .seconds(700))
    #expect(try await session.accessToken().reveal() == "access-3")
  }

  @Test("C-30: a session adopts the tokens that another process received, and reports this as an event")
  func adopts() async throws {
    let first = try await self.fixture.signIn()
    let second = try #require(try await self.fixture.client().restoreSession())
    self.fixture.rotateStrictly()
    self.fixture.clock.advance(by: .seconds(700))
    let events = await second.events
    #expect(try await first.accessToken().reveal() == "access-2")
    #expect(try await second.accessToken().reveal() == "access-2")
    #expect(self.fixture.refreshRequests.count == 1)
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == .adopted)
  }

  @Test("C-30: tokens of another process that remain valid long enough are adopted without another refresh")
  func adoptsSufficientLifetime() async throws {
    let first = try await self.fixture.signIn()
    let second = try #require(try await self.fixture.client().restoreSession())
    self.fixture.rotateStrictly()
    self.fixture.clock.advance(by: .seconds(400))
    try await first.refresh()
    // After this, access-2 is valid for 200 more seconds.
    self.fixture.clock.advance(by: .seconds(400))
    #expect(try await second.accessToken(minimumLifetime: .seconds(100)).reveal() == "access-2")
    // Now access-2 remains valid for only 50 seconds.
    self.fixture.clock.advance(by: .seconds(150))
    let third = try #require(try await self.fixture.client().restoreSession())
    try await second.refresh()
    #expect(try await third.accessToken(minimumLifetime: .seconds(100)).reveal() == "access-3")
    #expect(self.fixture.refreshRequests.count == 2)
  }

  @Test("a sign-out in another process ends the session at its next refresh")
  func signedOutElsewhere() async throws {
    let session = try await self.fixture.signIn()
    self.fixture.rotateStrictly()
    try await self.fixture.client().restoreSession()?.signOut()
    self.fixture.clock.advance(by: .seconds(570))
    await #expect(throws: SessionError.signInRequired(.signedOut)) { try await session.accessToken() }
    #expect(self.fixture.refreshRequests.isEmpty)
  }

  @Test("C-30: invalid_grant for a token that another process has already replaced does not end the session")
  func refusedButReplaced() async throws {
    let session = try await self.fixture.signIn()
    let fixture = self.fixture
    let replacement = try await Self.replacement(fixture)
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      // A process that doesn't use leases has stored other tokens in the meantime.
      try? await fixture.store.save(replacement.value, for: replacement.key)
      return .success(SignInFixture.error("invalid_grant"))
    }
    self.fixture.clock.advance(by: .seconds(700))
    #expect(try await session.accessToken().reveal() == "access-new")
    #expect(self.fixture.refreshRequests.count == 1)
  }

  /// Returns the stored form of the tokens of another sign-in, which takes place 700 seconds later, and the store's key
  /// for the tokens of `fixture`.
  private static func replacement(_ fixture: SignInFixture) async throws -> (key: TokenStoreKey, value: Secret<[UInt8]>) {
    let other = try SignInFixture()
    other.clock.advance(by: .seconds(700))
    let user = try other.browser()
    other.grantTokens(to: user, access: "access-new", refresh: "refresh-new")
    _ = try await other.client().signIn(scopes: [.openID], via: user, receiver: user)
    let key = TokenStoreKey(kind: "grant", issuer: SignInFixture.issuer, clientID: fixture.clientID)
    return (key, try #require(try await other.store.load(key)))
  }

  @Test("C-30: a canceled caller returns early, and the refresh continues for the other callers")
  func cancelledCaller() async throws {
    let session = try await self.fixture.signIn()
    let gate = Gate()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      await gate.wait()
      return .success(SignInFixture.tokens("access-2", refresh: "refresh-2"))
    }
    self.fixture.clock.advance(by: .seconds(700))
    let canceledCall = Task { try await session.accessToken() }
    let otherCall = Task { try await session.accessToken() }
    await self.fixture.transport.waitForRequests(2, to: SignInFixture.tokenURL)
    canceledCall.cancel()
    await #expect(throws: SessionError.cancelled) { try await canceledCall.value }
    gate.open()
    #expect(try await otherCall.value.reveal() == "access-2")
    #expect(try await self.fixture.client().restoreSession()?.accessToken().reveal() == "access-2")
  }

  @Test("C-30: if the only caller is canceled, the rotated token is still stored")
  func cancelledAlone() async throws {
    let session = try await self.fixture.signIn()
    let gate = Gate()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      await gate.wait()
      return .success(SignInFixture.tokens("access-2", refresh: "refresh-2"))
    }
    self.fixture.clock.advance(by: .seconds(700))
    let canceledCall = Task { try await session.accessToken() }
    await self.fixture.transport.waitForRequests(2, to: SignInFixture.tokenURL)
    canceledCall.cancel()
    await #expect(throws: SessionError.cancelled) { try await canceledCall.value }
    gate.open()
    await session.waitForRefresh()
    #expect(try await self.fixture.client().restoreSession()?.accessToken().reveal() == "access-2")
    #expect(self.fixture.refreshRequests.count == 1)
  }
}
