import SallyportProtocol
import SallyportServer
import SallyportSQLite
import ServerTestSupport
import TestSupport
import Testing

/// Tests the cache in which each process keeps the clients and other configuration that it has read from the store.
@Suite("The configuration cache")
struct ConfigurationCacheTests {
  @Test("a change takes effect within 250 milliseconds, or immediately after an invalidation")
  func changes() async throws {
    let fixture = try await TestServer()
    let (cache, id) = (fixture.server.cache, TestClient.loopback.id)
    #expect(try await cache.client(id) != nil)
    try await fixture.store.write { (tx) throws(StoreError) in _ = try tx.remove(id, from: .command, at: .now()) }
    #expect(try await cache.client(id) != nil)
    fixture.clock.advance(by: .milliseconds(249))
    #expect(try await cache.client(id) != nil)
    fixture.clock.advance(by: .milliseconds(1))
    #expect(try await cache.client(id) == nil)
    // This puts another client into the cache.
    #expect(try await cache.client(TestClient.claimedHTTPS.id) != nil)
    try await fixture.store.write { (tx) throws(StoreError) in
      _ = try tx.remove(TestClient.claimedHTTPS.id, from: .command, at: .now())
    }
    cache.invalidate()
    #expect(try await cache.client(TestClient.claimedHTTPS.id) == nil)
  }

  @Test("an outdated configuration is not kept if the clock is set back")
  func clockSetBack() async throws {
    let fixture = try await TestServer()
    let id = TestClient.loopback.id
    #expect(try await fixture.server.cache.client(id) != nil)
    try await fixture.store.write { (tx) throws(StoreError) in _ = try tx.remove(id, from: .command, at: .now()) }
    fixture.clock.advance(by: .seconds(-3600))
    #expect(try await fixture.server.cache.client(id) == nil)
  }
}
