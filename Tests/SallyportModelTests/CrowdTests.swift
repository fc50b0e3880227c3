import Foundation
import Synchronization
import Testing

@Suite("Several at once on one grant", .timeLimit(.minutes(10)))
struct CrowdTests {
  /// `SALLYPORT_CROWDS=100000` is the long form.
  private static let count = ProcessInfo.processInfo.environment["SALLYPORT_CROWDS"].flatMap { Int($0) } ?? 400

  @Test("S-22, S-23: what several get at once, from two servers on one file, they could have got one after another")
  func crowds() async throws {
    let bench = try await Bench()
    for number in 0..<Self.count {
      let crowd = Crowd.random(seed: UInt64(number))
      guard let failure = try await Course.failure(of: crowd, on: bench) else { continue }
      Issue.record("seed \(number): \(failure)\n\(crowd)")
      return
    }
    #expect(bench.largestCommits.withLock { $0.allSatisfy { $0 > 1 } }, "those who came to one server shared commits")
  }

  @Test("The orders of three are six")
  func orders() {
    let orders = Course.orders(of: 3)
    #expect(Set(orders).count == 6 && orders.allSatisfy { Set($0) == [0, 1, 2] })
  }
}
