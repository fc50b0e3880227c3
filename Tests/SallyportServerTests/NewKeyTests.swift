import SallyportProtocol
import SallyportServer
import SallyportSQLite
import ServerTestSupport
import TestSupport
import Testing

/// Tests how a server handles tokens that another server has just signed with a new key. The clock stands still, so the
/// cached keys do not expire, and the server must read the keys again when it sees the unknown key ID.
@Suite("New keys of other servers")
struct NewKeyTests {
  /// Rotates the keys of a server and returns new tokens. Before that, `other` caches the old keys.
  private func rotate(_ fixture: TestServer, oldKeysCachedBy other: AuthorizationServer) async throws -> TokenResponse {
    let old = try await fixture.redeem(fixture.insertCode())
    _ = try await other.userinfo.respond(to: .init(token: old.accessToken))
    let management = KeyManagement(store: fixture.store, masterKey: fixture.masterKey, now: fixture.clock.source)
    _ = try await management.rotate(immediately: true)
    fixture.server.cache.invalidate()
    return try await fixture.redeem(fixture.insertCode())
  }

  @Test("after an emergency rotation, another server accepts the new tokens at once, even if many requests present them")
  func accessTokens() async throws {
    let fixture = try await TestServer()
    let other = try fixture.otherProcess()
    let tokens = try await self.rotate(fixture, oldKeysCachedBy: other)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask { _ = try await other.userinfo.respond(to: .init(token: tokens.accessToken)) }
      }
      try await group.waitForAll()
    }
  }

  @Test("after an emergency rotation, another server accepts a new ID token as a hint at once")
  func hints() async throws {
    let fixture = try await TestServer()
    let other = try fixture.otherProcess()
    let hint = try #require(try await self.rotate(fixture, oldKeysCachedBy: other).idToken).reveal()
    let request = try await other.logout.parse(FormParameters.encode([("id_token_hint", hint)]))
    #expect(request.client?.id == TestClient.loopback.id)
  }

  @Test("tokens with made-up key IDs cause at most one read of the keys per 25 milliseconds")
  func limitsReads() async throws {
    let fixture = try await TestServer()
    let store = FailingStore(fixture.store)
    let cache = ConfigurationCache(store: store, masterKey: fixture.masterKey, lifetimes: Lifetimes(), now: fixture.clock.source)
    _ = try await cache.keyRing()
    let (before, began) = (store.reads, ContinuousClock.now)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<500 { group.addTask { _ = try await cache.keyRing(containing: "invented-\(number)") } }
      try await group.waitForAll()
    }
    let intervals = Int(began.duration(to: .now) / .milliseconds(25))
    #expect(store.reads - before <= intervals + 1)
    #expect(store.reads > before)
  }

  @Test("if the keys cannot be read again, a token with an unknown key is not rejected as invalid")
  func unavailable() async throws {
    let fixture = try await TestServer()
    let store = FailingStore(fixture.store)
    let cache = ConfigurationCache(store: store, masterKey: fixture.masterKey, lifetimes: Lifetimes(), now: fixture.clock.source)
    _ = try await cache.keyRing()
    let error = StoreError.unavailable(reason: "test")
    store.fail(with: error, alsoReads: true)
    await withTaskGroup(of: KeyRingError?.self) { group in
      for _ in 0..<50 {
        group.addTask {
          do throws(KeyRingError) { _ = try await cache.keyRing(containing: "invented") } catch { return error }
          return nil
        }
      }
      for await failure in group { #expect(failure == .storage(error)) }
    }
  }
}
