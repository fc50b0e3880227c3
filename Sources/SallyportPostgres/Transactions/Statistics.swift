import Synchronization

/// The number of exchanges of a store, for tests.
final class Statistics: Sendable {
  private let exchanges = Atomic(0)

  /// The number of exchanges with the server, in all transactions.
  var roundTrips: Int { self.exchanges.load(ordering: .relaxed) }

  func count(roundTrips: Int) {
    self.exchanges.add(roundTrips, ordering: .relaxed)
  }
}
