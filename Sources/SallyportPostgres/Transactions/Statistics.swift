import Synchronization

/// Counters of a store, for tests.
final class Statistics: Sendable {
  private let repeated = Atomic(0)
  private let exchanges = Atomic(0)

  /// How many times transactions were repeated because of concurrent ones.
  var repetitions: Int { self.repeated.load(ordering: .relaxed) }

  /// The number of exchanges with the server, in all transactions.
  var roundTrips: Int { self.exchanges.load(ordering: .relaxed) }

  func count(roundTrips: Int) {
    self.exchanges.add(roundTrips, ordering: .relaxed)
  }

  func countRepetition() {
    self.repeated.add(1, ordering: .relaxed)
  }
}
