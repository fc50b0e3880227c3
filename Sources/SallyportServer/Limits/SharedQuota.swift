import SallyportProtocol
import Synchronization

/// Limits how often each operation, such as a registration, runs per minute, and divides this quota among the
/// operation's callers (rule S-42).
///
/// Unauthenticated callers together get at most half of a quota, and one address (or IPv6 /64 network) at most 5%.
/// Authenticated callers can use the whole quota.
///
/// Each process counts the uses of an address in memory. The uses of all callers are counted in the store, which all
/// processes share. The address is checked first, so that a caller who exceeds the share of its address does not use up
/// the quota of the other callers.
final class SharedQuota: Sendable {
  private struct Share: Hashable {
    let operation: LimitedOperation
    let network: [UInt8]
  }

  /// Permission to count a use of the shared quota. Only ``SharedQuota/admit(_:to:)`` creates one.
  struct Admission: Sendable {
    private let limit: StoredLimit

    fileprivate init(_ operation: LimitedOperation, limit: Int) {
      self.limit = operation.limit(limit)
    }

    /// Counts one use, unless the quota is used up.
    /// - Returns: Whether the use was counted.
    func countUnlessReached(in transaction: inout any StoreTransaction, at now: Timestamp) throws(StoreError) -> Bool {
      try self.limit.countUnlessReached(in: &transaction, at: now)
    }
  }

  static let window = Duration.seconds(60)

  private let shares: QuotaShares
  private let now: TimeSource
  private let used: Mutex<RateLimiter<Share>>

  /// - Parameter perMinute: The quota of each operation.
  init(perMinute: Int, now: @escaping TimeSource) {
    self.shares = QuotaShares(total: perMinute)
    self.now = now
    // A rate limiter has a short-term and a long-term limit. One limit suffices here, so both are the same.
    let limit = RateLimit.atMost(self.shares.address, in: Self.window)
    self.used = Mutex(RateLimiter(fast: limit, slow: limit))
  }

  /// Takes one use from the share of the caller's address, unless the caller is authenticated.
  /// - Returns: Nil if the share is used up. A caller with an unknown address is limited only by the share of all
  ///   unauthenticated callers.
  func admit(_ caller: QuotaCaller, to operation: LimitedOperation) -> Admission? {
    guard case .anonymous(let address) = caller else { return Admission(operation, limit: self.shares.total) }
    guard address.network.isEmpty || self.take(Share(operation: operation, network: address.network)) else { return nil }
    return Admission(operation, limit: self.shares.unauthenticated)
  }

  private func take(_ share: Share) -> Bool {
    let now = self.now()
    return self.used.withLock { used in
      // The time to wait is nil if the share is not used up.
      guard used.wait(share, at: now) == nil else { return false }
      used.add(share, at: now)
      return true
    }
  }
}
