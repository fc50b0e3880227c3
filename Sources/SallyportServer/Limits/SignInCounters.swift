import Crypto
import SallyportProtocol

/// Counts failed sign-ins in the store, which all processes share. ``SignInThrottle`` applies the same limits in the
/// memory of each process.
///
/// A failure is counted after its password was checked, so attempts that several processes check at the same moment can
/// together exceed a limit. A sign-in that succeeds without earlier failures writes nothing.
///
/// User names and addresses are mapped to a bounded number of counters with a keyed digest. Made-up user names
/// therefore cannot fill the store, and an attacker cannot find a name that shares its counter with the name of a user.
struct SignInCounters: Sendable {
  /// A counter of one limit.
  private struct Counter: Sendable {
    let limit: StoredRateLimit
    /// Whether a correct password resets the counter.
    let isOwn: Bool
  }

  /// What the store contains about an attempt before its password is checked.
  struct Earlier: Sendable {
    /// How long the user must wait; nil if the password may be checked now.
    let wait: Duration?
    /// The counters that a correct password resets.
    fileprivate let own: [Fingerprint]
  }

  let store: any Store
  let limits: SignInLimits
  let key: SymmetricKey

  /// Reads the counters of an attempt, before its password is checked.
  func read(_ attempt: SignInThrottle.Attempt, at now: Timestamp) async throws(StoreError) -> Earlier {
    let counters = self.counters(of: attempt)
    let keys = counters.map(\.limit.key)
    // The times at which the counters will be empty.
    let ends = try await self.store.read { (tx) throws(StoreError) in try tx.limitCounters(keys, at: now) }
    return Earlier(
      wait: counters.compactMap { $0.limit.wait(ends, at: now) }.max(),
      own: counters.filter(\.isOwn).map(\.limit.key).filter { ends[$0] != nil })
  }

  /// Counts a failure.
  func add(_ attempt: SignInThrottle.Attempt, at now: Timestamp) async throws(StoreError) {
    let counters = self.counters(of: attempt)
    try await self.store.write { (tx) throws(StoreError) in
      for counter in counters { try counter.limit.add(in: &tx, at: now) }
    }
  }

  /// Empties the counters whose failures the user probably caused, after a correct password.
  func reset(_ earlier: Earlier) async throws(StoreError) {
    guard !earlier.own.isEmpty else { return }
    try await self.store.write { (tx) throws(StoreError) in for key in earlier.own { try tx.removeLimitCounter(key) } }
  }

  private func counters(of attempt: SignInThrottle.Attempt) -> [Counter] {
    let name = attempt.username
    // A browser that has signed in to the account before has counters of its own, so that failures in other browsers do
    // not affect its user.
    if let browser = attempt.browser {
      return self.counters("browser", Array("\(browser)\n\(name)".utf8), SignInLimits.knownBrowser, isOwn: true)
    }
    return self.counters("name and address", attempt.network + Array(name.utf8), SignInLimits.usernameAndAddress, isOwn: true)
      + self.counters("name", Array(name.utf8), self.limits.account, isOwn: false)
      + self.counters("address", attempt.network, self.limits.address, isOwn: false)
  }

  private func counters(
    _ kind: String, _ subject: [UInt8], _ limits: (fast: RateLimit, slow: RateLimit), isOwn: Bool
  ) -> [Counter] {
    let number = KeyedLimits.counter(for: subject, kind, key: self.key)
    return [("fast", limits.fast), ("slow", limits.slow)].map { speed, limit in
      Counter(limit: StoredRateLimit("sign-in counter\n\(kind)\n\(speed)\n\(number)", limit), isOwn: isOwn)
    }
  }
}
