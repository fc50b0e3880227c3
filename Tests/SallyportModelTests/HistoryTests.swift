import Foundation
import Testing

/// Compares the server with the model in random histories. A failure is printed as a short history that can be
/// replayed: `SALLYPORT_HISTORY='sign-in; open 1; …' swift test --filter HistoryTests`.
@Suite("Histories of grants, compared with the model", .timeLimit(.minutes(10)))
struct HistoryTests {
  /// The number of random histories. `SALLYPORT_HISTORIES=100000` runs a longer test, and `SALLYPORT_SEED` sets the
  /// first seed.
  private static let count = Self.number("SALLYPORT_HISTORIES") ?? 2_000
  private static let seed = UInt64(Self.number("SALLYPORT_SEED") ?? 1)
  private static let workers = 2

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test("S-22, S-23: random histories of sign-in, redemption, refresh, reuse, revocation, and expiration match the model")
  func random() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<Self.workers { group.addTask { try await Self.run(worker) } }
      try await group.waitForAll()
    }
  }

  private static func run(_ worker: Int) async throws {
    let pair = try await ServerPair()
    for number in stride(from: worker, to: self.count, by: self.workers) {
      let seed = self.seed &* 1_000_000 &+ UInt64(number)
      let history = History.random(seed: seed)
      guard let failure = try await HistoryRun.failure(of: history, on: pair) else { continue }
      Issue.record("seed \(seed): \(try await Self.shortest(history) ?? "\(failure)\n\(history)")")
      return
    }
  }

  /// Shortens a failing history, and describes its failure. Each attempt uses a new database.
  private static func shortest(_ history: History) async throws -> String? {
    let short = try await history.shrunk { try await HistoryRun.failure(of: $0, on: ServerPair()) != nil }
    return try await HistoryRun.failure(of: short, on: ServerPair()).map { "\($0)\n\(short)" }
  }

  @Test("The history in SALLYPORT_HISTORY matches the model", .enabled(if: Self.written != nil))
  func replay() async throws {
    let history = try #require(History(Self.written ?? ""), "a line is not a valid step")
    #expect(try await HistoryRun.failure(of: history, on: ServerPair()) == nil)
  }

  private static let written = ProcessInfo.processInfo.environment["SALLYPORT_HISTORY"]
}
