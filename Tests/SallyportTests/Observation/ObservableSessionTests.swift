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

  private func signIn(_ object: ObservableSession, _ decision: ScriptedUserAgent.Decision = .allow) async {
    let user = ScriptedUserAgent(self.server)
    user.decision = decision
    await object.signIn { client throws(SignInError) in
      try await client.signIn(scopes: [.openID, .offlineAccess], via: user, receiver: user)
    }
  }

  /// Stores the session of a user who signed in earlier.
  private func storeSession(scope: Scope = [.openID, .offlineAccess]) {
    self.server.session(scope: scope, store: self.store)
  }

  @Test("without a stored session, the state is signedOut")
  func signedOut() async {
    let object = ObservableSession(client: self.client)
    #expect(object.state == .restoring)
    await object.refreshState()
    #expect(object.state == .signedOut)
    #expect(object.session == nil)
  }

  @Test("isSigningIn stays true until the last of several concurrent sign-ins has ended")
  func concurrentSignIns() async {
    let object = ObservableSession(client: self.client)
    let gate = Gate()
    let first = Task {
      await object.signIn { _ throws(SignInError) in
        await gate.wait()
        throw .cancelled
      }
    }
    while !object.isSigningIn { await Task.yield() }
    await self.signIn(object, .deny)
    #expect(object.isSigningIn)
    gate.open()
    await first.value
    #expect(!object.isSigningIn)
  }

  @Test("a stored session is restored with its claims and expiration")
  func restored() async {
    self.storeSession()
    let object = ObservableSession(client: self.client)
    await object.refreshState()
    #expect(object.state == .signedIn)
    #expect(object.claims?.name == "Ada Lovelace")
    #expect(object.expiration == self.server.now.addingTimeInterval(600))
  }

  @Test("a sign-in and a sign-out change the state")
  func signInAndOut() async {
    let object = ObservableSession(client: self.client)
    await self.signIn(object)
    #expect(object.state == .signedIn)
    #expect(object.claims?.name == "Ada Lovelace")
    #expect(!object.isSigningIn)
    #expect(await object.signOut() == .revoked)
    #expect(object.state == .signedOut)
    #expect(object.session == nil && object.claims == nil && object.expiration == nil)
  }

  @Test(
    "the error of a sign-in stays when the state is refreshed, and is removed when the user dismisses the next sign-in")
  func errors() async {
    let object = ObservableSession(client: self.client)
    await object.refreshState()
    await self.signIn(object, .deny)
    let expected = SignInError.denied(OAuthErrorResponse(error: "access_denied", description: nil))
    #expect(object.error as? SignInError == expected)
    #expect(object.explanation == expected.explanation)
    await object.refreshState()
    #expect(object.error as? SignInError == expected)
    await self.signIn(object, .dismiss)
    #expect(object.error == nil && object.explanation == nil)
    #expect(object.state == .signedOut)
  }

  @Test(
    "a store that cannot be read is reported as an error and not as a sign-out, and the error is removed when the store is readable again"
  )
  func storeErrors() async {
    self.storeSession()
    let object = ObservableSession(client: self.client)
    await object.refreshState()
    self.store.loadError = .unavailable(reason: "locked")
    await object.refreshState()
    #expect(object.error as? SessionError == .store(.unavailable(reason: "locked")))
    #expect(object.state == .signedIn)
    self.store.loadError = nil
    await object.refreshState()
    #expect(object.error == nil)
  }

  @Test("a sign-out by another process is noticed without a request")
  func otherSignOut() async throws {
    self.storeSession()
    let object = ObservableSession(client: self.client)
    await object.refreshState()
    try await self.client.signOut()
    self.server.refreshes = .offline
    await object.refreshState()
    #expect(object.state == .signedOut)
    #expect(object.session == nil)
  }

  @Test("the object shows tokens that another client has refreshed, and the session of a later sign-in, even of another user")
  func otherRefresh() async throws {
    self.storeSession()
    let object = ObservableSession(client: self.client)
    await object.refreshState()
    let other = try #require(try await self.client.restoreSession())
    self.server.advance(by: .seconds(60))
    try await other.refresh()
    await object.refreshState()
    #expect(object.expiration == self.server.now.addingTimeInterval(600))

    self.server.claims = ["sub": "grace", "name": "Grace Hopper"]
    await self.signIn(ObservableSession(client: self.client))
    await object.refreshState()
    #expect(object.claims?.name == "Grace Hopper")
  }

  @Test("a session without a refresh token requires a sign-in when its token expires, even after a restart")
  func expired() async {
    self.storeSession(scope: .openID)
    let object = ObservableSession(client: self.client)
    await object.refreshState()
    #expect(object.state == .signedIn)
    self.server.advance(by: .seconds(600))
    await object.refreshState()
    #expect(object.state == .signInRequired(.noRefreshToken))
    await object.refreshState()
    #expect(object.state == .signInRequired(.noRefreshToken))
    let restarted = ObservableSession(client: self.client)
    await restarted.refreshState()
    #expect(restarted.state == .signInRequired(.noRefreshToken))
    await self.signIn(restarted)
    #expect(restarted.state == .signedIn)
  }

  @Test("if the server requires an interaction with the user, the state requires a sign-in, and the session is kept")
  func interaction() async throws {
    self.storeSession()
    let object = ObservableSession(client: self.client)
    await object.refreshState()
    self.server.refreshes = .fail(.interactionRequired)
    await #expect(throws: SessionError.self) { try await object.session?.refresh() }
    await object.refreshState()
    let errorResponse = OAuthErrorResponse(error: "interaction_required", description: nil)
    #expect(object.state == .signInRequired(.interactionRequired(errorResponse)))
    #expect(object.session != nil)
    self.server.refreshes = .succeed
    try await object.session?.refresh()
    await object.refreshState()
    #expect(object.state == .signedIn)
  }

  @Test("while the object follows the session, it is updated as soon as the session is refreshed or ends")
  func follows() async throws {
    self.storeSession()
    let object = ObservableSession(client: self.client)
    // The closure replaces the pause between two reads of the store. The gate never opens, so the object reads the
    // store once at the start, and later only when the session reports a change.
    let following = Task { await object.follow(checkingEvery: .seconds(60)) { _ in await Gate().wait() } }
    await Self.until { object.state == .signedIn }
    let first = object.expiration
    self.server.advance(by: .seconds(60))
    try await object.session?.refresh()
    await Self.until { object.expiration != first }
    self.server.refreshes = .fail(.invalidGrant)
    self.server.advance(by: .seconds(600))
    await #expect(throws: SessionError.self) { try await object.session?.accessToken() }
    await Self.until { object.state != .signedIn }
    #expect(object.state == .signInRequired(.refused(OAuthErrorResponse(error: "invalid_grant", description: nil))))
    following.cancel()
    await following.value
  }

  @Test("while the object follows the session, it notices at once when the server starts or stops requiring an interaction")
  func followsInteraction() async throws {
    self.server.session(store: self.store)
    let object = ObservableSession(client: self.client)
    // The gate never opens, so the object reads the store once at the start, and later only when the session reports a
    // change.
    let following = Task { await object.follow(checkingEvery: .seconds(60)) { _ in await Gate().wait() } }
    await Self.until { object.state == .signedIn }
    self.server.refreshes = .fail(.interactionRequired)
    await #expect(throws: SessionError.self) { try await object.session?.refresh() }
    await Self.until { object.state != .signedIn }
    let errorResponse = OAuthErrorResponse(error: "interaction_required", description: nil)
    #expect(object.state == .signInRequired(.interactionRequired(errorResponse)))
    self.server.refreshes = .succeed
    try await object.session?.refresh()
    await Self.until { object.state == .signedIn }
    following.cancel()
    await following.value
  }

  @Test("while the object follows the session, it reads the store at intervals and when the token expires")
  func intervals() async throws {
    self.storeSession()
    let object = ObservableSession(client: self.client)
    let (pauses, continuation) = AsyncStream.makeStream(of: Duration.self)
    let ticks = Ticks()
    let following = Task {
      await object.follow(checkingEvery: .seconds(60)) { pause in
        continuation.yield(pause)
        await ticks.next()
      }
    }
    await Self.until { object.state == .signedIn }
    // The token expires in 30 seconds, so the next pause is 30 seconds instead of 60.
    self.server.advance(by: .seconds(570))
    ticks.fire()
    var iterator = pauses.makeAsyncIterator()
    // Waits for this pause. Earlier pauses were longer.
    while let pause = await iterator.next(), pause != .seconds(30) {}
    try await self.client.signOut()
    ticks.fire()
    await Self.until { object.state == .signedOut }
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
