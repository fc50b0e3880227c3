import SallyportProtocol
import TestSupport
import Testing

@testable import SallyportServer

@Suite("The budget for fetching URLs of clients that no operator registered")
struct FetchBudgetTests {
  private static func address(_ number: Int) -> ClientAddress {
    ClientAddress("192.0.2.\(number)", bytes: [192, 0, 2, UInt8(truncatingIfNeeded: number)])
  }

  private static func client(_ number: Int) -> ClientID { ClientID(rawValue: "client-\(number)") }

  /// Requests slots for a number of fetches. Each fetch ends before the next begins.
  /// - Returns: The number of fetches that the budget allowed.
  private static func fetches(
    _ budget: FetchBudget, _ tries: Int = 100, _ purpose: (Int) -> FetchBudget.Purpose
  ) -> Int {
    (0..<tries).count { budget.slot(for: purpose($0)) != nil }
  }

  @Test("S-42: an address gets 5% of the budget per minute for any number of clients and hosts; other addresses are not affected")
  func addressShare() {
    let clock = TestClock()
    let budget = FetchBudget(perMinute: 100, now: clock.source)
    func fetches(_ tries: Int, from address: Int) -> Int {
      Self.fetches(budget, tries) { .init(host: "host-\($0)", client: Self.client($0), address: Self.address(address)) }
    }
    #expect(fetches(100, from: 1) == 5)
    #expect(fetches(1, from: 2) == 1)
    clock.advance(by: .seconds(60))
    #expect(fetches(1, from: 1) == 1)
  }

  @Test("each client, each host, and all clients without a grant together have limits of their own")
  func separateShares() {
    let clock = TestClock()
    let budgets = (0..<3).map { _ in FetchBudget(perMinute: 100, now: clock.source) }
    let counts = [
      Self.fetches(budgets[0]) { .init(host: "host", client: Self.client($0), address: Self.address($0)) },
      Self.fetches(budgets[1]) { .init(host: "host-\($0)", client: Self.client(1), address: Self.address($0)) },
      Self.fetches(budgets[2]) { .init(host: "host-\($0)", client: Self.client($0), address: Self.address($0)) },
    ]
    // A host and a client get a quarter each, and all clients without a grant get half.
    #expect(counts == [25, 25, 50])
  }

  @Test("S-42: a part of the budget, and of each host's share, is reserved for clients with a grant")
  func granted() {
    let budget = FetchBudget(perMinute: 100, now: TestClock().source)
    // Use up what clients without a grant can get, both of the budget and of the share of "host".
    _ = Self.fetches(budget) { .init(host: $0 < 30 ? "host" : "host-\($0)", address: Self.address($0)) }
    #expect(budget.slot(for: .init(host: "other", address: Self.address(200))) == nil)
    for host in ["host", "other"] {
      #expect(budget.slot(for: .init(host: host, client: Self.client(1), address: Self.address(200), hasGrant: true)) != nil)
    }
  }

  @Test("S-42: fetches that hang for one address, one host, or one client occupy at most four slots")
  func hanging() {
    let budget = FetchBudget(perMinute: 1_000, now: TestClock().source)
    var held: [FetchBudget.Slot] = []
    // Begins a fetch that does not end. Returns whether the budget allows it.
    func hold(_ host: Int, _ client: Int, _ address: Int) -> Bool {
      guard let slot = budget.slot(for: .init(host: "\(host)", client: Self.client(client), address: Self.address(address)))
      else {
        return false
      }
      held.append(slot)
      return true
    }
    let counts = [
      (0..<50).count { hold($0, $0, 1) }, (100..<150).count { hold(100, $0, $0) }, (200..<250).count { hold($0, 200, $0) },
      (300..<400).count { hold($0, $0, $0) },
    ]
    // An address, a host, and a client get four slots each. All clients without a grant share 20.
    #expect(counts == [4, 4, 4, 8])
    held = []
    #expect(hold(0, 0, 1))
  }
}
