import SallyportProtocol
import SallyportSQLite
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("Shared quotas")
struct SharedQuotaTests {
  private static let operation = LimitedOperation.registrations

  private static func caller(_ bytes: [UInt8]) -> QuotaCaller { .anonymous(ClientAddress("\(bytes)", bytes: bytes)) }

  private static func caller(_ number: Int) -> QuotaCaller { self.caller([192, 0, UInt8(number / 256), UInt8(number % 256)]) }

  /// Counts the request in the store. Returns whether the quota allows the request.
  private static func count(_ admission: SharedQuota.Admission?, in fixture: TestServer) async throws -> Bool {
    guard let admission else { return false }
    let now = fixture.clock.now
    return try await fixture.store.write { (tx) throws(StoreError) in try admission.countUnlessReached(in: &tx, at: now) }
  }

  @Test(
    "S-42: in any minute, one address that requests continuously gets 5% of a quota, but at least one request",
    arguments: [1, 20, 40, 240, 1_200])
  func address(perMinute: Int) {
    let clock = TestClock()
    let quota = SharedQuota(perMinute: perMinute, now: clock.source)
    var admitted: [Timestamp] = []
    for _ in 0..<3_000 {
      if quota.admit(Self.caller(1), to: Self.operation) != nil { admitted.append(clock.now) }
      clock.advance(by: .milliseconds(50))
    }
    // The largest number of requests that were admitted within any 60 seconds.
    let maximum = admitted.indices.map { first in admitted[first...].count { $0 < admitted[first] + .seconds(60) } }.max()
    #expect(maximum == max(1, perMinute / 20))
    #expect(quota.admit(Self.caller(2), to: Self.operation) != nil)
  }

  @Test("S-42: an IPv6 /64 network counts as one address; other networks and operations are counted separately")
  func networks() {
    let quota = SharedQuota(perMinute: 20, now: TestClock().source)
    func address(_ network: UInt8, _ host: UInt8) -> QuotaCaller {
      Self.caller([0x20, 1, 0xd, 0xb8, 0, 0, 0, network] + [UInt8](repeating: host, count: 8))
    }
    #expect(quota.admit(address(1, 1), to: Self.operation) != nil)
    #expect(quota.admit(address(1, 2), to: Self.operation) == nil)
    #expect(quota.admit(address(2, 1), to: Self.operation) != nil)
    #expect(quota.admit(address(1, 2), to: .deviceCodes(of: ClientID(rawValue: "app"))) != nil)
  }

  @Test("S-42: unauthenticated callers together get half of a quota, and authenticated callers can use all of it")
  func half() async throws {
    let fixture = try await TestServer()
    let quota = SharedQuota(perMinute: 20, now: fixture.clock.source)
    var (unauthenticated, authenticated) = (0, 0)
    for number in 0..<30 where try await Self.count(quota.admit(Self.caller(number), to: Self.operation), in: fixture) {
      unauthenticated += 1
    }
    for _ in 0..<30 where try await Self.count(quota.admit(.authenticated, to: Self.operation), in: fixture) {
      authenticated += 1
    }
    #expect(unauthenticated == 10 && authenticated == 10)
    fixture.clock.advance(by: .seconds(60))
    #expect(try await Self.count(quota.admit(Self.caller(1), to: Self.operation), in: fixture))
  }

  @Test("S-42: requests that exceed the share of an address do not reduce the quota of others")
  func order() async throws {
    let fixture = try await TestServer()
    let quota = SharedQuota(perMinute: 40, now: fixture.clock.source)
    for _ in 0..<100 { _ = try await Self.count(quota.admit(Self.caller(0), to: Self.operation), in: fixture) }
    var counted = 0
    for number in 1...100 where try await Self.count(quota.admit(Self.caller(number), to: Self.operation), in: fixture) {
      counted += 1
    }
    // Half of the quota is 20, and the first address used 2.
    #expect(counted == 18)
  }
}
