import SallyportProtocol
import Synchronization

/// What one address gets of something that all strangers share: a quarter, so that one of them cannot use up everybody's.
package final class AddressQuota: Sendable {
  private let now: TimeSource
  private let counts: Mutex<Throttle<[UInt8]>>

  /// - Parameter perMinute: what all have together.
  init(perMinute: Int, now: @escaping TimeSource) {
    let share = max(4, perMinute / 4)
    let limit = RateLimit(share, thenOneEach: .seconds(60) / share)
    self.now = now
    self.counts = Mutex(Throttle(fast: limit, slow: limit))
  }

  /// Counts one for `address`, where it has one left. A connection without an address has no share of its own.
  func take(_ address: ClientAddress) -> Bool {
    guard !address.network.isEmpty else { return true }
    let now = self.now()
    return self.counts.withLock { counts in
      guard counts.wait(address.network, at: now) == nil else { return false }
      counts.add(address.network, at: now)
      return true
    }
  }
}
