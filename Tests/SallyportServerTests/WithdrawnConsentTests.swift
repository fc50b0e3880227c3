import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("Withdrawn consents")
struct WithdrawnConsentTests {
  @Test("a request that has read a remembered consent before the user withdraws it gets no grant")
  func race() async throws {
    let fixture = try await TestServer()
    let account = try #require(try await fixture.server.accounts.account(named: Username("ada")))
    let cookie = try #require(
      try await fixture.server.sessions.start(for: account, by: ["pwd"], replacing: nil, from: .server)
    ).reveal()
    let session = try #require(try await fixture.server.sessions.active(cookie))
    let consent = ConsentRecord(
      account: account.id, client: TestClient.claimed.id, redirectURI: TestClient.claimed.requestedURI,
      scope: "openid profile email offline_access", givenAt: fixture.clock.now)
    try await fixture.store.write { (tx) throws(StoreError) in try tx.remember(consent) }

    let store = HookedStore(fixture.store)
    let server = AuthorizationServer(
      configuration: fixture.server.configuration, store: store, masterKey: fixture.masterKey, hasher: TestPasswordHasher(),
      now: fixture.clock.source)
    store.beforeNextWrite {
      _ = try await fixture.server.selfService.withdrawAccess(of: TestClient.claimed.id, in: session, from: .server)
    }
    let request = AuthorizeParameters(.claimed).query
    guard case .consent(_, .firstTime) = try await server.authorization.begin(request, cookie: cookie, origin: .server) else {
      Issue.record("the user was not asked")
      return
    }
    let grants = try await fixture.store.read { (tx) throws(StoreError) in try tx.grants(of: account.id) }
    #expect(grants.isEmpty)
    // Without the withdrawal, the consent suffices.
    try await fixture.store.write { (tx) throws(StoreError) in try tx.remember(consent) }
    guard case .response = try await server.authorization.begin(request, cookie: cookie, origin: .server) else {
      Issue.record("the user was asked although the consent is remembered")
      return
    }
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
