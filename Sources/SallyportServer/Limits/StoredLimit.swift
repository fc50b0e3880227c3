import SallyportProtocol

/// A limit on the number of events in a period. A period begins with the first event after the end of the last period.
/// The counter is in the store, which all processes share.
struct StoredLimit: Sendable {
  /// The key of the counter.
  private let counter: Fingerprint
  private let maximum: Int
  private let period: Duration

  /// - Parameter name: The name of the counter, which the store keeps only as a fingerprint.
  init(_ name: String, _ maximum: Int, in period: Duration) {
    self.counter = Fingerprint(of: Secret(name))
    self.maximum = maximum
    self.period = period
  }

  func isReached(_ snapshot: borrowing any StoreSnapshot, at now: Timestamp) throws(StoreError) -> Bool {
    try snapshot.attempts(self.counter, at: now) >= self.maximum
  }

  /// Counts one event, unless the limit is reached.
  /// - Returns: Whether the event was counted.
  func countUnlessReached(in transaction: inout some StoreTransaction, at now: Timestamp) throws(StoreError) -> Bool {
    guard try transaction.attempts(self.counter, at: now) < self.maximum else { return false }
    _ = try transaction.countAttempt(self.counter, window: self.period, at: now)
    return true
  }
}
