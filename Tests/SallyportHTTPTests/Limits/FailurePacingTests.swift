import HTTPTestSupport
import HTTPTypes
import NIOCore
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Synchronization
import Testing

@testable import SallyportHTTP
@testable import SallyportHTTPServer

@Suite("Delayed failures", .timeLimit(.minutes(3)))
struct FailurePacingTests {
  /// Records the delay of each delayed response instead of waiting. The test advances the clock.
  private final class Delays: Sendable {
    let all = Mutex<[TimeAmount]>([])
    let now = Mutex(NIODeadline.uptimeNanoseconds(1_000_000_000_000))

    func pacing(proxies: TrustedProxies = .none) -> FailurePacing {
      FailurePacing(
        perSecond: 20, proxies: proxies, now: { self.now.withLock { $0 } },
        sleep: { delay in self.all.withLock { $0.append(delay) } })
    }
  }

  /// Runs `body` with a server that delays failures, and with the record of the delays. Of 100 pushed requests in a
  /// minute, the server accepts only a few.
  private func withSlowedSite(
    proxies: [AddressRange] = [], _ body: @Sendable @escaping (Site, Delays) async throws -> Void
  ) async throws {
    let fixture = try await TestServer(configure: { $0.requestsPerMinute = 20 })
    let delays = Delays()
    var router = AuthorizationServerRouter(server: fixture.server, proxies: TrustedProxies(proxies))
    router.pacing = delays.pacing(proxies: TrustedProxies(proxies))
    try await withSite(fixture, router) { try await body($0, delays) }
  }

  @Test(
    "S-42: the responses to a flood of rejected requests are delayed more and more, and responses to another address are not",
    arguments: ["/par", "/authorize"])
  func flood(path: String) async throws {
    try await self.withSlowedSite { site, delays in
      let flooder = site.from("192.0.2.66")
      let flood: @Sendable () async throws -> Void = {
        // Pushed requests beyond the quota get 429, and an authorization request of an unknown client gets an error
        // page.
        for _ in 0..<100 {
          _ =
            path == "/par"
            ? try await flooder.post(path, AuthorizeParameters().list)
            : try await flooder.send(.get, "/authorize?client_id=unknown")
        }
      }
      try await flood()
      let first = delays.all.withLock { $0 }
      // Each address has an allowance of two seconds, and each failure uses up 1/20 of a second. About 40 of the 100
      // failures are therefore not delayed, and about 60 are. A few pushed requests succeed, so fewer are delayed.
      #expect((57...60).contains(first.count))
      // Each delay is 50 ms longer than the one before it, up to the longest delay.
      #expect(first == first.sorted() && first.first == .milliseconds(50) && first.last == FailurePacing.longestDelay)
      _ = try await site.from("198.51.100.7").send(.get, "/authorize?client_id=unknown")
      #expect(delays.all.withLock { $0.count } == first.count)

      // Four seconds later, a failure of the flooding address is not delayed.
      delays.now.withLock { $0 = $0 + .seconds(4) }
      _ = try await flooder.send(.get, "/authorize?client_id=unknown")
      #expect(delays.all.withLock { $0.count } == first.count)
    }
  }

  @Test("successful responses, and responses of the token endpoint with status 400, are not delayed")
  func others() async throws {
    try await self.withSlowedSite { site, delays in
      let address = site.from("192.0.2.66")
      for _ in 0..<60 {
        let document = try await address.send(.get, "/.well-known/openid-configuration")
        let tokens = try await address.post("/token", [("grant_type", "refresh_token"), ("client_id", "loopback")])
        #expect(document.status == .ok && tokens.status == .badRequest)
      }
      #expect(delays.all.withLock { $0 }.isEmpty)
    }
  }

  @Test("requests through a trusted proxy are not delayed, because all clients behind the proxy share its connections")
  func proxies() async throws {
    let proxy = try #require(AddressRange("192.0.2.66"))
    try await self.withSlowedSite(proxies: [proxy]) { site, delays in
      for _ in 0..<100 { _ = try await site.from("192.0.2.66").send(.get, "/authorize?client_id=unknown") }
      #expect(delays.all.withLock { $0 }.isEmpty)
    }
  }
}
