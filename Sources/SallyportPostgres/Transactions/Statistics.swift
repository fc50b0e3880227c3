import Synchronization

/// Counts the round trips of a store to the database server, for tests.
final class Statistics: Sendable {
  private let counter = Atomic(0)

  /// The number of round trips in all transactions so far.
  var roundTrips: Int { self.counter.load(ordering: .relaxed) }

  func count(roundTrips: Int) {
    self.counter.add(roundTrips, ordering: .relaxed)
  }
}
