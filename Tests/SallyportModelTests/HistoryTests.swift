import Foundation
import ServerTestSupport
import Testing

/// Runs random histories (lists of steps) on the server and on the model (``Model``), a simple implementation of the
/// rules for grants. Compares the responses, and the state of the store, with the model. A failure is printed as a
/// short history that can be replayed: `SALLYPORT_HISTORY='sign-in; open 1; …' swift test --filter HistoryTests`.
@Suite("Histories of grants, compared with the model", .timeLimit(.minutes(10)))
struct HistoryTests {
  /// The number of random histories, or `nil` for the default. `SALLYPORT_HISTORIES=100000` runs a longer test, and
  /// `SALLYPORT_SEED` selects other histories.
  private static let count = Self.number("SALLYPORT_HISTORIES")
  private static let seed = UInt64(Self.number("SALLYPORT_SEED") ?? 1)
  private static let workers = 2

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(
    "S-22, S-23: random histories of sign-in, redemption, refresh, reuse, revocation, and expiration match the model",
    arguments: TestDatabase.Kind.allCases)
  func random(on kind: TestDatabase.Kind) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<Self.workers { group.addTask { try await Self.run(worker, on: kind) } }
      try await group.waitForAll()
    }
  }

  private static func run(_ worker: Int, on kind: TestDatabase.Kind) async throws {
    let pair = try await ServerPair(kind)
    // A history takes about twenty times as long on PostgreSQL as on SQLite.
    let count = self.count ?? (kind == .sqlite ? 2_000 : 60)
    for number in stride(from: worker, to: count, by: self.workers) {
      let seed = self.seed &* 1_000_000 &+ UInt64(number)
      let history = History.random(seed: seed)
      guard let failure = try await HistoryRun.failure(of: history, on: pair) else { continue }
      Issue.record("seed \(seed): \(try await Self.shortest(history, on: kind) ?? "\(failure)\n\(history)")")
      return
    }
  }

  /// Shortens a failing history, and describes the failure of the short history. Each attempt uses a new database.
  /// - Returns: `nil` if the history does not fail again.
  private static func shortest(_ history: History, on kind: TestDatabase.Kind) async throws -> String? {
    let short = try await history.shrunk { try await HistoryRun.failure(of: $0, on: ServerPair(kind)) != nil }
    return try await HistoryRun.failure(of: short, on: ServerPair(kind)).map { "\($0)\n\(short)" }
  }

  @Test(
    "the history in SALLYPORT_HISTORY matches the model", .enabled(if: Self.historyText != nil),
    arguments: TestDatabase.Kind.allCases
  )
  func replay(on kind: TestDatabase.Kind) async throws {
    let history = try #require(History(Self.historyText ?? ""), "a step is invalid")
    #expect(try await HistoryRun.failure(of: history, on: ServerPair(kind)) == nil)
  }

  private static let historyText = ProcessInfo.processInfo.environment["SALLYPORT_HISTORY"]
}
