import Foundation
import ServerTestSupport
import Synchronization
import Testing

@Suite("Concurrent requests for one grant", .timeLimit(.minutes(10)))
struct ConcurrentStepsTests {
  /// The number of rounds, or `nil` for the default. `SALLYPORT_CONCURRENT_ROUNDS=100000` runs a longer test.
  private static let roundCount = ProcessInfo.processInfo.environment["SALLYPORT_CONCURRENT_ROUNDS"].flatMap { Int($0) }

  @Test(
    "S-22, S-23: the responses to concurrent requests, from two servers on one database, match some sequential order",
    arguments: TestDatabase.Kind.allCases)
  func rounds(on kind: TestDatabase.Kind) async throws {
    let pair = try await ServerPair(kind)
    // A round takes about ten times as long on PostgreSQL.
    for number in 0..<(Self.roundCount ?? (kind == .sqlite ? 400 : 80)) {
      let concurrent = ConcurrentSteps.random(seed: UInt64(number))
      guard let failure = try await HistoryRun.failure(of: concurrent, on: pair) else { continue }
      Issue.record("seed \(number): \(failure)\n\(concurrent)")
      return
    }
    // Only SQLite's writer joins concurrent transactions into one commit.
    guard kind == .sqlite else { return }
    #expect(pair.largestCommits.withLock { $0.allSatisfy { $0 > 1 } }, "on one server, no concurrent requests shared a commit")
  }

  @Test("three requests have six orders")
  func orders() {
    let orders = HistoryRun.orders(of: 3)
    #expect(Set(orders).count == 6 && orders.allSatisfy { Set($0) == [0, 1, 2] })
  }
}
