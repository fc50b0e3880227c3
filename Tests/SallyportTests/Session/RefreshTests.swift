import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport
import Testing

@Suite("Refresh", .timeLimit(.minutes(1)))
struct RefreshTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  /// A server that rotates strictly: each refresh token is good once, and a second use ends it all.
  private func rotateStrictly() {
    let state = Mutex((current: "refresh-1", count: 1, revoked: false))
    self.fixture.transport.on(SignInFixture.tokenURL) { request in
      let token = request.form?["refresh_token"]
      return .success(
        state.withLock { state in
          guard !state.revoked, token == state.current else {
            state.revoked = true
            return SignInFixture.error("invalid_grant")
          }
          state.count += 1
          state.current = "refresh-\(state.count)"
          return SignInFixture.tokens("access-\(state.count)", refresh: state.current)
        })
    }
  }

  private var refreshRequests: [FakeTransport.RecordedRequest] {
    self.fixture.tokenRequests.filter { $0.form?["grant_type"] == "refresh_token" }
  }

  @Test("a token that lives long enough needs no network, nor does restoring the session")
  func noNetwork() async throws {
    _ = try await self.fixture.signedIn()
    let before = self.fixture.transport.requests.count
    let session = try #require(try await self.fixture.client().restoreSession())
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.fixture.transport.requests.count == before)
  }

  @Test("C-30: many tasks with a used-up token make one refresh, and all get its token")
  func oneInFlight() async throws {
    let session = try await self.fixture.signedIn()
    self.rotateStrictly()
    self.fixture.clock.advance(by: .seconds(700))
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await session.accessToken().reveal() } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens == ["access-2"])
    #expect(self.refreshRequests.count == 1)
  }

  @Test("C-30: many processes with one rotating token make one refresh, and none is signed out")
  func manyProcesses() async throws {
    _ = try await self.fixture.signedIn()
    self.rotateStrictly()
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
    #expect(self.refreshRequests.count == 1)
    let session = try #require(try await self.fixture.client().restoreSession())
    self.fixture.clock.advance(by: .seconds(700))
    #expect(try await session.accessToken().reveal() == "access-3")
  }

  @Test("C-30: a session that comes second adopts what another process got, and tells so")
  func adopts() async throws {
    let first = try await self.fixture.signedIn()
    let second = try #require(try await self.fixture.client().restoreSession())
    self.rotateStrictly()
    self.fixture.clock.advance(by: .seconds(700))
    let events = await second.events
    #expect(try await first.accessToken().reveal() == "access-2")
    #expect(try await second.accessToken().reveal() == "access-2")
    #expect(self.refreshRequests.count == 1)
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == .adopted)
  }

  @Test("C-30: what another process got is adopted only if it lives as long as was asked")
  func adoptsWhatIsEnough() async throws {
    let first = try await self.fixture.signedIn()
    let second = try #require(try await self.fixture.client().restoreSession())
    self.rotateStrictly()
    self.fixture.clock.advance(by: .seconds(400))
    try await first.refresh()
    self.fixture.clock.advance(by: .seconds(400))
    #expect(try await second.accessToken(minimumLifetime: .seconds(100)).reveal() == "access-2")
    self.fixture.clock.advance(by: .seconds(150))
    let third = try #require(try await self.fixture.client().restoreSession())
    try await second.refresh()
    #expect(try await third.accessToken(minimumLifetime: .seconds(100)).reveal() == "access-3")
    #expect(self.refreshRequests.count == 2)
  }

  @Test("C-20, C-30: a refresh sends the rotated token once and no secret")
  func rotation() async throws {
    let session = try await self.fixture.signedIn()
    self.rotateStrictly()
    try await session.refresh()
    try await session.refresh()
    #expect(try await session.accessToken().reveal() == "access-3")
    #expect(self.refreshRequests.compactMap { $0.form?["refresh_token"] } == ["refresh-1", "refresh-2"])
    let form = try #require(self.refreshRequests.last?.form)
    #expect(Set(form.names) == ["grant_type", "refresh_token", "client_id"])
    #expect(self.refreshRequests.allSatisfy { $0.head.headerFields[.authorization] == nil })
  }

  @Test("an answer without a refresh token keeps the one there was")
  func noRotation() async throws {
    let session = try await self.fixture.signedIn()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: nil))
    try await session.refresh()
    try await session.refresh()
    #expect(self.refreshRequests.compactMap { $0.form?["refresh_token"] } == ["refresh-1", "refresh-1"])
  }

  /// What a refresh can meet without anybody being at fault, and what the session says.
  struct Trouble: Sendable, CustomTestStringConvertible {
    let outcome: Result<TransportResponse, TransportError>
    let error: SessionError
    var testDescription: String { "\(self.error)" }
  }

  static let troubles = [
    Trouble(outcome: .failure(.unreachable(reason: "offline")), error: .network(.unreachable(reason: "offline"))),
    Trouble(outcome: .failure(.timedOut), error: .network(.timedOut)),
    Trouble(outcome: .success(.text("", status: .internalServerError)), error: .unavailable(status: 500)),
    Trouble(outcome: .success(.text("", status: .serviceUnavailable)), error: .unavailable(status: 503)),
    Trouble(outcome: .success(.text("", status: .tooManyRequests)), error: .unavailable(status: 429)),
    Trouble(outcome: .success(.text("<html>", status: .ok)), error: .tokenResponse(.malformed)),
    Trouble(outcome: .success(.redirect(to: "https://portal.example/")), error: .tokenResponse(.unexpectedStatus(302))),
    Trouble(
      outcome: .success(SignInFixture.error("invalid_client")),
      error: .refused(ServerRefusal(error: "invalid_client", description: nil))),
    Trouble(
      outcome: .success(SignInFixture.error("invalid_scope")),
      error: .refused(ServerRefusal(error: "invalid_scope", description: nil))),
  ]

  @Test("C-30: trouble on the way signs nobody out; the session goes on when it is over", arguments: Self.troubles)
  func trouble(_ trouble: Trouble) async throws {
    let session = try await self.fixture.signedIn()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in trouble.outcome }
    self.fixture.clock.advance(by: .seconds(700))
    await #expect(throws: trouble.error) { try await session.accessToken() }
    self.rotateStrictly()
    #expect(try await session.accessToken().reveal() == "access-2")
  }

  @Test("C-30: an early refresh that fails does not throw away a token that is still valid", arguments: Self.troubles)
  func earlyTrouble(_ trouble: Trouble) async throws {
    let session = try await self.fixture.signedIn()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in trouble.outcome }
    self.fixture.clock.advance(by: .seconds(570))
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.refreshRequests.count == 1)
    self.rotateStrictly()
    #expect(try await session.accessToken().reveal() == "access-2")
  }

  @Test("C-30: an early refresh that is refused for good leaves the token until it is used up")
  func earlyRefusal() async throws {
    let session = try await self.fixture.signedIn()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    let events = await session.events
    self.fixture.clock.advance(by: .seconds(570))
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.refreshRequests.count == 1)
    self.fixture.clock.advance(by: .seconds(31))
    // The reason is the server's word, also in a process that did not hear it.
    let refused = SignInRequirement.refused(ServerRefusal(error: "invalid_grant", description: nil))
    let other = try #require(try await self.fixture.client().restoreSession())
    await #expect(throws: SessionError.signInRequired(refused)) { try await session.accessToken() }
    #expect(try await self.fixture.client().restoreSession() == nil)
    var seen: [SessionEvent] = []
    for await event in events { seen.append(event) }
    #expect(seen == [.notRenewable(refused), .ended(refused)])
    await #expect(throws: SessionError.signInRequired(refused)) { try await other.accessToken() }
  }

  @Test("C-30: a refresh that the program asks for, and the server refuses, does not end a session whose token is good")
  func refusedOnDemand() async throws {
    let session = try await self.fixture.signedIn()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    let refused = SignInRequirement.refused(ServerRefusal(error: "invalid_grant", description: nil))
    await #expect(throws: SessionError.signInRequired(refused)) { try await session.refresh() }
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(try await self.fixture.client().restoreSession()?.accessToken().reveal() == "access-1")
    self.fixture.clock.advance(by: .seconds(601))
    let restored = try #require(try await self.fixture.client().restoreSession())
    await #expect(throws: SessionError.signInRequired(refused)) { try await restored.accessToken() }
  }

  @Test("C-30: where a server forgives no lost reply, the session says that a reply was lost before it was refused")
  func lostReply() async throws {
    let session = try await self.fixture.signedIn()
    self.fixture.clock.advance(by: .seconds(700))
    // The server has rotated, and the connection breaks before its answer is there.
    self.fixture.transport.on(SignInFixture.tokenURL, fail: .unreachable(reason: "reset"))
    await #expect(throws: SessionError.network(.unreachable(reason: "reset"))) { try await session.accessToken() }
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    let lost = SignInRequirement.refusedAfterLostReply(ServerRefusal(error: "invalid_grant", description: nil))
    // Another process, after a crash of this one for example.
    let next = try #require(try await self.fixture.client().restoreSession())
    let events = await next.events
    await #expect(throws: SessionError.signInRequired(lost)) { try await next.accessToken() }
    var seen: [SessionEvent] = []
    for await event in events { seen.append(event) }
    #expect(seen == [.ended(lost)])
  }

  @Test(
    "C-30: a reply that was lost is forgotten when the next one comes, whatever it says",
    arguments: [nil, "invalid_client", "invalid_scope"])
  func foundReply(_ error: String?) async throws {
    let session = try await self.fixture.signedIn()
    self.fixture.clock.advance(by: .seconds(700))
    if let error {
      self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error(error))
      await #expect(throws: SessionError.self) { try await session.refresh() }
    } else {
      self.fixture.transport.on(SignInFixture.tokenURL, fail: .timedOut)
      await #expect(throws: SessionError.self) { try await session.refresh() }
      self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2"))
      try await session.refresh()
      self.fixture.clock.advance(by: .seconds(700))
    }
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    let refused = SignInRequirement.refused(ServerRefusal(error: "invalid_grant", description: nil))
    await #expect(throws: SessionError.signInRequired(refused)) { try await session.refresh() }
  }

  @Test("C-30: a refresh that waits for its server keeps no other account waiting, nor a sign-in that waits for its person")
  func othersAreNotBlocked() async throws {
    let slow = try await self.fixture.signedIn()
    let person = try self.fixture.person()
    self.fixture.grantTokens(to: person, access: "access-w", refresh: "refresh-w")
    let work = try await self.fixture.client(account: "work").signIn(
      scopes: [.openID, .offlineAccess], via: person, receiver: person)
    let gate = Gate()
    self.fixture.transport.on(SignInFixture.tokenURL) { request in
      if request.form?["refresh_token"] == "refresh-1" { await gate.wait() }
      return .success(SignInFixture.tokens("new-\(request.form?["refresh_token"] ?? "")", refresh: nil))
    }
    self.fixture.clock.advance(by: .seconds(700))
    let waiting = Task { try await slow.accessToken() }
    await self.fixture.transport.waitForRequests(3, to: SignInFixture.tokenURL)
    #expect(try await work.accessToken().reveal() == "new-refresh-w")
    gate.open()
    #expect(try await waiting.value.reveal() == "new-refresh-1")
  }

  @Test("C-30: no lease is held while a person signs in: the session that is there can be refreshed meanwhile")
  func noLeaseDuringSignIn() async throws {
    let session = try await self.fixture.signedIn()
    let person = try FakePerson { _ in [] }
    let client = try self.fixture.client()
    let signIn = Task { try await client.signIn(scopes: [.openID], via: person, receiver: person) }
    await person.opening.wait()
    #expect(self.fixture.store.heldLeases.isEmpty)
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2"))
    try await session.refresh()
    #expect(try await session.accessToken().reveal() == "access-2")
    signIn.cancel()
    _ = await signIn.result
  }

  @Test("C-30: invalid_grant ends the session and says what the server said")
  func ended() async throws {
    let session = try await self.fixture.signedIn()
    let events = await session.events
    self.fixture.transport.on(
      SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant", description: "refresh-1 was revoked"))
    self.fixture.clock.advance(by: .seconds(700))
    let requirement = SignInRequirement.refused(
      ServerRefusal(error: "invalid_grant", description: "<redacted> was revoked"))
    await #expect(throws: SessionError.signInRequired(requirement)) { try await session.accessToken() }
    await #expect(throws: SessionError.signInRequired(requirement)) { try await session.refresh() }
    #expect(try await self.fixture.client().restoreSession() == nil)
    var seen: [SessionEvent] = []
    for await event in events { seen.append(event) }
    #expect(seen == [.ended(requirement)])
  }

  @Test("C-30: invalid_grant for a token that another process has replaced in the store does not end the session")
  func refusedButReplaced() async throws {
    let session = try await self.fixture.signedIn()
    let fixture = self.fixture
    let replacement = try await Self.replacement(fixture)
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      // A process that knows nothing of leases, or an older release, has written meanwhile.
      try? await fixture.store.save(replacement.value, for: replacement.key)
      return .success(SignInFixture.error("invalid_grant"))
    }
    self.fixture.clock.advance(by: .seconds(700))
    #expect(try await session.accessToken().reveal() == "access-new")
    #expect(self.refreshRequests.count == 1)
  }

  /// What the store would hold after another sign-in on the advanced clock.
  private static func replacement(_ fixture: SignInFixture) async throws -> (key: TokenStoreKey, value: Secret<[UInt8]>) {
    let other = try SignInFixture()
    other.clock.advance(by: .seconds(700))
    let person = try other.person()
    other.grantTokens(to: person, access: "access-new", refresh: "refresh-new")
    _ = try await other.client().signIn(scopes: [.openID], via: person, receiver: person)
    let key = TokenStoreKey(kind: "grant", issuer: SignInFixture.issuer, clientID: fixture.clientID)
    return (key, try #require(try await other.store.load(key)))
  }

  @Test("a used-up token without a refresh token needs the person, and says so")
  func noRefreshToken() async throws {
    let session = try await self.fixture.signedIn(refresh: nil)
    #expect(await !session.isRenewable)
    await #expect(throws: SessionError.signInRequired(.noRefreshToken)) { try await session.refresh() }
    #expect(try await session.accessToken().reveal() == "access-1")
    self.fixture.clock.advance(by: .seconds(601))
    await #expect(throws: SessionError.signInRequired(.noRefreshToken)) { try await session.accessToken() }
  }

  @Test("C-30: a caller that is cancelled leaves, and the refresh goes on for the others")
  func cancelledCaller() async throws {
    let session = try await self.fixture.signedIn()
    let gate = Gate()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      await gate.wait()
      return .success(SignInFixture.tokens("access-2", refresh: "refresh-2"))
    }
    self.fixture.clock.advance(by: .seconds(700))
    let impatient = Task { try await session.accessToken() }
    let patient = Task { try await session.accessToken() }
    await self.fixture.transport.waitForRequests(2, to: SignInFixture.tokenURL)
    impatient.cancel()
    await #expect(throws: SessionError.cancelled) { try await impatient.value }
    gate.open()
    #expect(try await patient.value.reveal() == "access-2")
    #expect(try await self.fixture.client().restoreSession()?.accessToken().reveal() == "access-2")
  }

  @Test("C-30: the only caller is cancelled, and the rotated token is stored all the same")
  func cancelledAlone() async throws {
    let session = try await self.fixture.signedIn()
    let gate = Gate()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      await gate.wait()
      return .success(SignInFixture.tokens("access-2", refresh: "refresh-2"))
    }
    self.fixture.clock.advance(by: .seconds(700))
    let impatient = Task { try await session.accessToken() }
    await self.fixture.transport.waitForRequests(2, to: SignInFixture.tokenURL)
    impatient.cancel()
    await #expect(throws: SessionError.cancelled) { try await impatient.value }
    gate.open()
    await session.settle()
    #expect(try await self.fixture.client().restoreSession()?.accessToken().reveal() == "access-2")
    #expect(self.refreshRequests.count == 1)
  }

  @Test("C-30: tokens that cannot be stored serve this process, and their refresh token is the next one sent")
  func unsaved() async throws {
    let session = try await self.fixture.signedIn()
    self.rotateStrictly()
    self.fixture.clock.advance(by: .seconds(700))
    self.fixture.store.saveError = .failed(reason: "no space")
    // An error now would hide a token that is good.
    #expect(try await session.accessToken().reveal() == "access-2")
    self.fixture.store.saveError = nil
    self.fixture.clock.advance(by: .seconds(700))
    #expect(try await session.accessToken().reveal() == "access-3")
    #expect(self.refreshRequests.compactMap { $0.form?["refresh_token"] } == ["refresh-1", "refresh-2"])
  }

  @Test("C-30: a sign-out elsewhere ends the session at its next refresh")
  func signedOutElsewhere() async throws {
    let session = try await self.fixture.signedIn()
    self.rotateStrictly()
    try await self.fixture.client().restoreSession()?.signOut()
    self.fixture.clock.advance(by: .seconds(570))
    await #expect(throws: SessionError.signInRequired(.signedOut)) { try await session.accessToken() }
    #expect(self.refreshRequests.isEmpty)
  }

  @Test("a token that never lives as long as asked is refreshed at half its life, not at each use")
  func shortLived() async throws {
    let person = try self.fixture.person()
    self.fixture.grantTokens(to: person, expiresIn: 30)
    let session = try await self.fixture.client().signIn(scopes: [.openID], via: person, receiver: person)
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.refreshRequests.isEmpty)
    self.fixture.clock.advance(by: .seconds(16))
    self.rotateStrictly()
    #expect(try await session.accessToken().reveal() == "access-2")
  }

  @Test(
    "C-33: a refreshed ID token of another issuer, person or audience is refused and nothing is stored",
    arguments: [("iss", "https://evil.example"), ("sub", "eve"), ("aud", "other")])
  func refreshedIDToken(claim: String, value: String) async throws {
    let session = try await self.fixture.signedIn()
    let fixture = self.fixture
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      var claims = fixture.server.claims(clientID: fixture.clientID, now: fixture.clock.now)
      claims[claim] = .string(value)
      return .success(
        SignInFixture.tokens("access-evil", refresh: "refresh-evil", idToken: try? fixture.server.token(claims)))
    }
    let error = await #expect(throws: SessionError.self) { try await session.refresh() }
    guard case .idToken = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.fixture.store.texts.allSatisfy { !$0.contains("evil") })
  }

  @Test("C-33: a refreshed ID token of the same person brings its claims")
  func refreshedClaims() async throws {
    let session = try await self.fixture.signedIn()
    let fixture = self.fixture
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      var claims = fixture.server.claims(clientID: fixture.clientID, now: fixture.clock.now)
      claims["name"] = "Ada Lovelace"
      return .success(SignInFixture.tokens("access-2", refresh: "refresh-2", idToken: try? fixture.server.token(claims)))
    }
    try await session.refresh()
    #expect(await session.claims?.name == "Ada Lovelace")
  }

  @Test("no error of a refresh shows a token", arguments: Self.troubles)
  func errorsAreClean(_ trouble: Trouble) async throws {
    let session = try await self.fixture.signedIn()
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in trouble.outcome }
    let error = await #expect(throws: SessionError.self) { try await session.refresh() }
    let text = String(describing: error)
    #expect(!text.contains("refresh-1"))
    #expect(!text.contains("access-1"))
  }
}
