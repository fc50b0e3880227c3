import SallyportProtocol
import SallyportServer
import SallyportSQLite
import ServerTestSupport
import TestSupport
import Testing

@Suite("Key management")
struct KeyManagementTests {
  @Test("two servers that start at the same time agree on one key for each algorithm")
  func ensuredOnce() async throws {
    let fixture = try await TestServer()
    try await fixture.retireKeys()
    let servers = try [fixture.store, fixture.database.open()].map {
      KeyManagement(store: $0, masterKey: fixture.masterKey, now: fixture.clock.source)
    }
    #expect(try await servers[0].list().isEmpty)
    async let first: Void = servers[0].ensureKeys()
    async let second: Void = servers[1].ensureKeys()
    _ = try await (first, second)
    #expect(try await servers[0].list().map(\.algorithm).sorted() == ["ES256", "RS256"])
  }

  @Test(
    "if no key can sign, the keys from a rotation sign immediately; keys from later rotations are published first",
    arguments: [Duration.zero, .seconds(60)])
  func rotatedFirst(publishedFor tail: Duration) async throws {
    let fixture = try await TestServer()
    let now = fixture.clock.now
    try await fixture.retireKeys(keptFor: tail)
    let management = KeyManagement(store: fixture.store, masterKey: fixture.masterKey, now: fixture.clock.source)
    #expect(try await management.rotate().map(\.activeAt) == [now, now])
    #expect(try await management.rotate().allSatisfy { $0.activeAt > now })
  }

  @Test("without an active key, nothing is signed and the code is not consumed")
  func noKey() async throws {
    let fixture = try await TestServer()
    try await fixture.retireKeys(keptFor: .seconds(60))
    let code = try await fixture.insertCode()
    await #expect(throws: TokenError.keys(.noActiveKey("ES256"))) { try await fixture.redeem(code) }
    #expect(try fixture.rows()["refresh_token"] == 0)
    try await KeyManagement(store: fixture.store, masterKey: fixture.masterKey, now: fixture.clock.source).ensureKeys()
    // The server notices new keys within 250 milliseconds.
    fixture.clock.advance(by: .milliseconds(250))
    _ = try await fixture.redeem(code)
  }
}
