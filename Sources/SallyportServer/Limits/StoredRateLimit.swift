import SallyportProtocol

/// A counter for a ``RateLimit`` in the store, which all processes share. A ``RateLimiter`` counts in the memory of one
/// process.
struct StoredRateLimit: Sendable {
  let key: Fingerprint
  let limit: RateLimit

  /// - Parameter name: The name of the counter, which the store keeps only as a fingerprint. Do not change a name in a
  ///   new version of the server, because the server would no longer find the counters that are in the store.
  init(_ name: String, _ limit: RateLimit) {
    self.key = Fingerprint(of: Secret(name))
    self.limit = limit
  }

  /// Returns how long the next event must wait; nil if it need not wait.
  /// - Parameter ends: The times at which counters will be empty, from ``StoreSnapshot/limitCounters(_:at:)``.
  func wait(_ ends: [Fingerprint: Timestamp], at now: Timestamp) -> Duration? {
    ends[self.key].flatMap { self.limit.wait(until: $0, at: now) }
  }

  /// Counts one event: the counter will be empty one `limit.interval` later.
  func add(in transaction: inout any StoreTransaction, at now: Timestamp) throws(StoreError) {
    try transaction.raiseLimitCounter(self.key, by: self.limit.interval, at: now)
  }
}
