import Foundation
import Synchronization
import Testing

@Suite("Concurrent requests for one grant", .timeLimit(.minutes(10)))
struct CrowdTests {
  /// The number of random crowds. `SALLYPORT_CROWDS=100000` runs a longer test.
  private static let count = ProcessInfo.processInfo.environment["SALLYPORT_CROWDS"].flatMap { Int($0) } ?? 400

  @Test("S-22, S-23: the responses to concurrent requests, from two servers on one file, match some sequential order")
  func crowds() async throws {
    let bench = try await Bench()
    for number in 0..<Self.count {
      let crowd = Crowd.random(seed: UInt64(number))
      guard let failure = try await Course.failure(of: crowd, on: bench) else { continue }
      Issue.record("seed \(number): \(failure)\n\(crowd)")
      return
    }
    #expect(bench.largestCommits.withLock { $0.allSatisfy { $0 > 1 } }, "on one server, no concurrent requests shared a commit")
  }

  @Test("Three requests have six orders")
  func orders() {
    let orders = Course.orders(of: 3)
    #expect(Set(orders).count == 6 && orders.allSatisfy { Set($0) == [0, 1, 2] })
  }
}
