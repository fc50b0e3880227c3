import SallyportProtocol
import Synchronization

/// Divides the quotas of resources among their callers (rule S-42).
///
/// Callers that did not authenticate get together at most half of a quota, and one address (of IPv6, one /64) at most 5 %. Authenticated
/// callers may use all of it.
///
/// What an address has used is counted in memory, and what all have used in the store, where every process sees it. The address comes
/// first: a caller who is over their own share uses up nothing of what the others have.
final class SharedQuota: Sendable {
  private struct Share: Hashable {
    let resource: LimitedResource
    let network: [UInt8]
  }

  /// Permission to count against the shared quota. Only ``SharedQuota/admit(_:to:)`` gives it.
  struct Admission: Sendable {
    private let mark: Fingerprint
    private let limit: Int

    fileprivate init(_ resource: LimitedResource, limit: Int) {
      self.mark = resource.mark
      self.limit = limit
    }

    /// Counts one use, if there is one left. A refused use is not counted.
    func count(in transaction: inout any StoreTransaction, at now: Timestamp) throws(StoreError) -> Bool {
      guard try transaction.attempts(self.mark, at: now) < self.limit else { return false }
      _ = try transaction.countAttempt(self.mark, window: SharedQuota.window, at: now)
      return true
    }
  }

  static let window = Duration.seconds(60)

  private let shares: QuotaShares
  private let now: TimeSource
  private let used: Mutex<Throttle<Share>>

  /// - Parameter perMinute: the quota of each resource.
  init(perMinute: Int, now: @escaping TimeSource) {
    self.shares = QuotaShares(total: perMinute)
    self.now = now
    let limit = RateLimit.atMost(self.shares.address, in: Self.window)
    self.used = Mutex(Throttle(fast: limit, slow: limit))
  }

  /// Takes one use from the share of the caller's address.
  /// - Returns: nil if the address has used up its share. A connection without an address has no share of its own.
  func admit(_ caller: QuotaCaller, to resource: LimitedResource) -> Admission? {
    guard case .anonymous(let address) = caller else { return Admission(resource, limit: self.shares.total) }
    guard address.network.isEmpty || self.take(Share(resource: resource, network: address.network)) else { return nil }
    return Admission(resource, limit: self.shares.unauthenticated)
  }

  /// Takes one use from the share of the caller's address in what a client uses, and in what all clients that no operator added use
  /// together: otherwise an address could get more by registering more clients.
  func admit(
    _ client: AuthenticatedClient, at address: ClientAddress, to resource: LimitedResource,
    withoutOperator shared: LimitedResource
  ) -> Admission? {
    let caller = client.caller(at: address)
    if client.record.origin != .operator, self.admit(caller, to: shared) == nil { return nil }
    return self.admit(caller, to: resource)
  }

  private func take(_ share: Share) -> Bool {
    let now = self.now()
    return self.used.withLock { used in
      guard used.wait(share, at: now) == nil else { return false }
      used.add(share, at: now)
      return true
    }
  }
}
