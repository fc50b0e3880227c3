import SallyportProtocol

/// Limits the wrong codes for an account. The counters are in the store, which all servers share.
///
/// Only someone who has entered the correct password or signed in through an upstream can cause failures, so nobody else
/// can delay a user. A correct code resets only the short-term limit. An attacker who knows the password can therefore try
/// only about 24 codes per day in the long run, even if the user signs in often.
struct CodeLimit: Sendable {
  static let fast = RateLimit(5, thenOneEach: .seconds(60))
  static let slow = RateLimit(30, thenOneEach: .seconds(3600))

  private let fastKey: Fingerprint
  private let slowKey: Fingerprint

  init(_ account: AccountID) {
    self.fastKey = Fingerprint(of: Secret("second factor\nfast\n\(account.rawValue)"))
    self.slowKey = Fingerprint(of: Secret("second factor\nslow\n\(account.rawValue)"))
  }

  /// Returns how long the user must wait before the next code is checked; nil if no wait is needed.
  func wait(_ tx: borrowing any StoreSnapshot, at now: Timestamp) throws(StoreError) -> Duration? {
    let ends = try tx.limitCounters([self.fastKey, self.slowKey])
    let waits = [(ends[self.fastKey], Self.fast), (ends[self.slowKey], Self.slow)].compactMap { end, limit -> Duration? in
      // If the clock was set back, the wait is limited to the wait of a full counter.
      end.map { min($0, now + limit.span) - now - (limit.span - limit.interval) }
    }
    return waits.max().flatMap { $0 > .zero ? $0 : nil }
  }

  /// Counts a wrong code.
  func fail(in tx: inout any StoreTransaction, at now: Timestamp) throws(StoreError) {
    try tx.raiseLimitCounter(self.fastKey, by: Self.fast.interval, at: now)
    try tx.raiseLimitCounter(self.slowKey, by: Self.slow.interval, at: now)
  }

  /// Resets the short-term limit after a correct code.
  func succeed(in tx: inout any StoreTransaction) throws(StoreError) {
    guard try !tx.limitCounters([self.fastKey]).isEmpty else { return }
    try tx.removeLimitCounter(self.fastKey)
  }
}
