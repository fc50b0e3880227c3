import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("Consents that change during a request")
struct ConcurrentConsentTests {
  @Test("if the user withdraws a remembered consent after a request has read it, the request gets no grant")
  func withdrawn() async throws {
    let setup = try await Setup()
    setup.store.beforeNextWrite {
      _ = try await setup.fixture.server.selfService.withdrawAccess(
        of: TestClient.claimedHTTPS.id, in: setup.session, from: .server)
    }
    guard case .consent(_, .firstTime) = try await setup.begin() else {
      Issue.record("the user was not asked")
      return
    }
    let grants = try await setup.fixture.store.read { (tx) throws(StoreError) in try tx.grants(of: setup.account.id) }
    #expect(grants.isEmpty)
    // Without the withdrawal, the consent suffices.
    try await setup.remember(setup.consent)
    guard case .response = try await setup.begin() else {
      Issue.record("the user was asked although the consent is remembered")
      return
    }
  }

  @Test("if the user extends a remembered consent after a request has read it, the user is not asked again")
  func extended() async throws {
    let setup = try await Setup()
    setup.store.beforeNextWrite {
      var extended = setup.consent
      extended.scope = Scope([extended.scope, "phone"])
      extended.givenAt = extended.givenAt + .seconds(1)
      try await setup.remember(extended)
    }
    guard case .response = try await setup.begin() else {
      Issue.record("the user was asked although the consent is remembered")
      return
    }
  }
}

/// A signed-in user with a remembered consent, and a server whose store can be changed between the read and the write
/// of an authorization request.
private struct Setup: Sendable {
  let fixture: TestServer
  let account: AccountRecord
  let cookie: String
  let session: BrowserSessions.Active
  let consent: ConsentRecord
  let store: HookedStore
  let server: AuthorizationServer

  init() async throws {
    self.fixture = try await TestServer()
    self.account = try #require(try await self.fixture.server.accounts.account(named: Username("ada")))
    self.cookie = try #require(
      try await self.fixture.server.sessions.start(for: self.account, by: ["pwd"], replacing: nil, from: .server)
    ).reveal()
    self.session = try #require(try await self.fixture.server.sessions.active(self.cookie))
    self.consent = ConsentRecord(
      account: self.account.id, client: TestClient.claimedHTTPS.id, redirectURI: TestClient.claimedHTTPS.requestedURI,
      scope: "openid profile email offline_access", givenAt: self.fixture.clock.now)
    self.store = HookedStore(self.fixture.store)
    self.server = AuthorizationServer(
      configuration: self.fixture.server.configuration, store: self.store, masterKey: self.fixture.masterKey,
      hasher: TestPasswordHasher(), now: self.fixture.clock.source)
    try await self.remember(self.consent)
  }

  func remember(_ consent: ConsentRecord) async throws {
    try await self.fixture.store.write { (tx) throws(StoreError) in try tx.remember(consent) }
  }

  func begin() async throws -> AuthorizationFlow.Step {
    try await self.server.authorization.begin(AuthorizeParameters(.claimedHTTPS).query, cookie: self.cookie, origin: .server)
  }
}

/// A store that runs a closure before its next write.
private final class HookedStore: Store {
  typealias Hook = @Sendable () async throws -> Void

  private let base: any Store
  private let hook = Mutex<Hook?>(nil)

  init(_ base: any Store) { self.base = base }

  func beforeNextWrite(_ hook: @escaping Hook) { self.hook.withLock { $0 = hook } }

  func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    let hook = self.hook.withLock { hook in
      defer { hook = nil }
      return hook
    }
    do { try await hook?() } catch { throw .unavailable(reason: "\(error)") }
    return try await self.base.write(body)
  }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try await self.base.read(body)
  }

  func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
    try await self.base.removeExpired(before: now, limit: limit)
  }
}
