import Foundation
import Observation
import Sallyport
import SallyportProtocol
import SallyportTesting
import TestSupport
import Testing

@Suite("An observable session", .timeLimit(.minutes(1)))
@MainActor
struct ObservableSessionTests {
  private let server = FakeAuthorizationServer(claims: ["sub": "ada", "name": "Ada Lovelace"])
  private let store = MemoryTokenStore()

  private var client: OAuthClient { self.server.client(store: self.store) }

  private func signIn(_ account: ObservableSession, _ decision: ScriptedUserAgent.Decision = .allow) async {
    let user = ScriptedUserAgent(self.server)
    user.decision = decision
    await account.signIn { client throws(SignInError) in
      try await client.signIn(scopes: [.openID, .offlineAccess], via: user, receiver: user)
    }
  }

  /// Stores the session of a user who signed in earlier.
  private func storeSession(scope: Scope = [.openID, .offlineAccess]) {
    self.server.session(scope: scope, store: self.store)
  }

  @Test("without a stored session, the state is signedOut")
  func signedOut() async {
    let account = ObservableSession(client: self.client)
    #expect(account.state == .restoring)
    await account.refreshState()
    #expect(account.state == .signedOut)
    #expect(account.session == nil)
  }

  @Test("isSigningIn stays true until the last of several concurrent sign-ins has ended")
  func concurrentSignIns() async {
    let account = ObservableSession(client: self.client)
    let gate = Gate()
    let first = Task {
      await account.signIn { _ throws(SignInError) in
        await gate.wait()
        throw .cancelled
      }
    }
    while !account.isSigningIn { await Task.yield() }
    await self.signIn(account, .deny)
    #expect(account.isSigningIn)
    gate.open()
    await first.value
    #expect(!account.isSigningIn)
  }

  @Test("a stored session is restored with its claims and expiration")
  func restored() async {
    self.storeSession()
    let account = ObservableSession(client: self.client)
    await account.refreshState()
    #expect(account.state == .signedIn)
    #expect(account.claims?.name == "Ada Lovelace")
    #expect(account.expiration == self.server.now.addingTimeInterval(600))
  }

  @Test("a sign-in and a sign-out change the state")
  func signInAndOut() async {
    let account = ObservableSession(client: self.client)
    await self.signIn(account)
    #expect(account.state == .signedIn)
    #expect(account.claims?.name == "Ada Lovelace")
    #expect(!account.isSigningIn)
    #expect(await account.signOut() == .revoked)
    #expect(account.state == .signedOut)
    #expect(account.session == nil && account.claims == nil && account.expiration == nil)
  }

  @Test(
    "the error of a sign-in stays when the state is refreshed, and is removed when the user dismisses the next sign-in")
  func errors() async {
    let account = ObservableSession(client: self.client)
    await account.refreshState()
    await self.signIn(account, .deny)
    let expected = SignInError.denied(OAuthErrorResponse(error: "access_denied", description: nil))
    #expect(account.error as? SignInError == expected)
    #expect(account.explanation == expected.explanation)
    await account.refreshState()
    #expect(account.error as? SignInError == expected)
    await self.signIn(account, .dismiss)
    #expect(account.error == nil && account.explanation == nil)
    #expect(account.state == .signedOut)
  }

  @Test(
    "a store that cannot be read is reported as an error and not as a sign-out, and the error is removed when the store is readable again"
  )
  func storeErrors() async {
    self.storeSession()
    let account = ObservableSession(client: self.client)
    await account.refreshState()
    self.store.loadError = .unavailable(reason: "locked")
    await account.refreshState()
    #expect(account.error as? SessionError == .store(.unavailable(reason: "locked")))
    #expect(account.state == .signedIn)
    self.store.loadError = nil
    await account.refreshState()
    #expect(account.error == nil)
  }

  @Test("a sign-out by another process is noticed without a request")
  func otherSignOut() async throws {
    self.storeSession()
    let account = ObservableSession(client: self.client)
    await account.refreshState()
    try await self.client.signOut()
    self.server.refreshes = .offline
    await account.refreshState()
    #expect(account.state == .signedOut)
    #expect(account.session == nil)
  }

  @Test("the object adopts tokens that another client refreshes, and the session of a later sign-in, even of another user")
  func otherRefresh() async throws {
    self.storeSession()
    let account = ObservableSession(client: self.client)
    await account.refreshState()
    let other = try #require(try await self.client.restoreSession())
    self.server.advance(by: .seconds(60))
    try await other.refresh()
    await account.refreshState()
    #expect(account.expiration == self.server.now.addingTimeInterval(600))

    self.server.claims = ["sub": "grace", "name": "Grace Hopper"]
    await self.signIn(ObservableSession(client: self.client))
    await account.refreshState()
    #expect(account.claims?.name == "Grace Hopper")
  }

  @Test("a session without a refresh token requires a sign-in when its token expires, even after a restart")
  func expired() async {
    self.storeSession(scope: .openID)
    let account = ObservableSession(client: self.client)
    await account.refreshState()
    #expect(account.state == .signedIn)
    self.server.advance(by: .seconds(600))
    await account.refreshState()
    #expect(account.state == .signInRequired(.noRefreshToken))
    await account.refreshState()
    #expect(account.state == .signInRequired(.noRefreshToken))
    let restarted = ObservableSession(client: self.client)
    await restarted.refreshState()
    #expect(restarted.state == .signInRequired(.noRefreshToken))
    await self.signIn(restarted)
    #expect(restarted.state == .signedIn)
  }

  @Test("if the server requires an interaction with the user, the state requires a sign-in, and the session is kept")
  func interaction() async throws {
    self.storeSession()
    let account = ObservableSession(client: self.client)
    await account.refreshState()
    self.server.refreshes = .fail(.interactionRequired)
    await #expect(throws: SessionError.self) { try await account.session?.refresh() }
    await account.refreshState()
    let errorResponse = OAuthErrorResponse(error: "interaction_required", description: nil)
    #expect(account.state == .signInRequired(.interactionRequired(errorResponse)))
    #expect(account.session != nil)
    self.server.refreshes = .succeed
    try await account.session?.refresh()
    await account.refreshState()
    #expect(account.state == .signedIn)
  }

  @Test("while the object follows the session, it is updated as soon as the session is refreshed or ends")
  func follows() async throws {
    self.storeSession()
    let account = ObservableSession(client: self.client)
    // The closure replaces the pause between two reads of the store. The gate never opens, so after the session is
    // restored, only events cause the object to read it again.
    let following = Task { await account.follow(checkingEvery: .seconds(60)) { _ in await Gate().wait() } }
    await Self.until { account.state == .signedIn }
    let first = account.expiration
    self.server.advance(by: .seconds(60))
    try await account.session?.refresh()
    await Self.until { account.expiration != first }
    self.server.refreshes = .fail(.invalidGrant)
    self.server.advance(by: .seconds(600))
    await #expect(throws: SessionError.self) { try await account.session?.accessToken() }
    await Self.until { account.state != .signedIn }
    #expect(account.state == .signInRequired(.refused(OAuthErrorResponse(error: "invalid_grant", description: nil))))
    following.cancel()
    await following.value
  }

  @Test("while the object follows the session, it notices at once when the server starts or stops requiring an interaction")
  func followsInteraction() async throws {
    self.server.session(store: self.store)
    let account = ObservableSession(client: self.client)
    // The gate never opens, so after the session is restored, only events cause the object to read it again.
    let following = Task { await account.follow(checkingEvery: .seconds(60)) { _ in await Gate().wait() } }
    await Self.until { account.state == .signedIn }
    self.server.refreshes = .fail(.interactionRequired)
    await #expect(throws: SessionError.self) { try await account.session?.refresh() }
    await Self.until { account.state != .signedIn }
    let errorResponse = OAuthErrorResponse(error: "interaction_required", description: nil)
    #expect(account.state == .signInRequired(.interactionRequired(errorResponse)))
    self.server.refreshes = .succeed
    try await account.session?.refresh()
    await Self.until { account.state == .signedIn }
    following.cancel()
    await following.value
  }

  @Test("while the object follows the session, it reads the store at intervals and when the token expires")
  func intervals() async throws {
    self.storeSession()
    let account = ObservableSession(client: self.client)
    let (pauses, continuation) = AsyncStream.makeStream(of: Duration.self)
    let ticks = Ticks()
    let following = Task {
      await account.follow(checkingEvery: .seconds(60)) { pause in
        continuation.yield(pause)
        await ticks.next()
      }
    }
    await Self.until { account.state == .signedIn }
    // The token expires in 30 seconds, so the next pause is 30 seconds instead of 60.
    self.server.advance(by: .seconds(570))
    ticks.fire()
    var iterator = pauses.makeAsyncIterator()
    while let pause = await iterator.next(), pause != .seconds(30) {}
    try await self.client.signOut()
    ticks.fire()
    await Self.until { account.state == .signedOut }
    following.cancel()
    await following.value
  }

  /// Waits until a condition holds, or until the test is canceled at its time limit.
  private static func until(_ condition: @MainActor () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
  }
}

/// Pauses that end one by one when a test calls `fire()`.
private final class Ticks: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (self.stream, self.continuation) = AsyncStream.makeStream()
  }

  func fire() { self.continuation.yield() }

  func next() async {
    for await _ in self.stream { return }
  }
}
