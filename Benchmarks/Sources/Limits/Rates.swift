#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The number of operations of each kind that this machine performs per second.
struct Rates: Encodable {
  let signatures: SignatureRates
  let tokens: TokenRates
  let commits: CommitRates
  /// Argon2id verifications with the server's parameters, on one core.
  let passwordsOneCore: Double
  /// Argon2id verifications with the server's parameters, on all cores together.
  let passwordsAllCores: Double

  static func measure(in directory: String) async throws -> Rates {
    Rates(
      signatures: try await SignatureRates.measure(), tokens: try await TokenRates.measure(),
      commits: try await CommitRates.measure(in: directory),
      passwordsOneCore: try await PasswordRate.measure(threads: 1),
      passwordsAllCores: try await PasswordRate.measure(threads: ProcessInfo.processInfo.activeProcessorCount))
  }

  func print() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
  }
}

/// How often `body` runs per second, measured for `duration`.
func rate(for duration: Duration = .seconds(2), _ body: () async throws -> Void) async rethrows -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  var count = 0
  repeat {
    try await body()
    count += 1
  } while start.duration(to: clock.now) < duration
  return Double(count) / (start.duration(to: clock.now) / .seconds(1))
}

/// How often `body` runs per second in `tasks` concurrent tasks: the sum of the rates of the tasks.
func rate(
  for duration: Duration = .seconds(2), tasks: Int, _ body: @escaping @Sendable () async throws -> Void
) async throws -> Double {
  try await withThrowingTaskGroup(of: Double.self) { group in
    for _ in 0..<tasks { group.addTask { try await rate(for: duration, body) } }
    return try await group.reduce(0, +)
  }
}
