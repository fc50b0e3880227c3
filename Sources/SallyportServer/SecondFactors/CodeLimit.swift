import SallyportProtocol

/// Limits how many wrong codes of an authenticator app, and wrong recovery codes, can be entered for an account. The
/// counters are in the store, which all servers share.
///
/// Only someone who has entered the correct password or signed in through an upstream can cause failures, so nobody
/// else can delay a user. A correct code resets only the short-term limit. An attacker who knows the password can
/// therefore try only about 24 codes per day in the long run, even if the user signs in often.
struct CodeLimit: Sendable {
  private let fast: StoredRateLimit
  private let slow: StoredRateLimit

  init(_ account: AccountID) {
    self.fast = StoredRateLimit("second factor\nfast\n\(account.rawValue)", RateLimit(5, thenOneEach: .seconds(60)))
    self.slow = StoredRateLimit("second factor\nslow\n\(account.rawValue)", RateLimit(30, thenOneEach: .seconds(3600)))
  }

  /// Returns how long the user must wait before the next code is checked; nil if no wait is needed.
  func wait(_ tx: borrowing any StoreSnapshot, at now: Timestamp) throws(StoreError) -> Duration? {
    let ends = try tx.limitCounters([self.fast.key, self.slow.key], at: now)
    return [self.fast, self.slow].compactMap { $0.wait(ends, at: now) }.max()
  }

  /// Counts a wrong code.
  func fail(in tx: inout any StoreTransaction, at now: Timestamp) throws(StoreError) {
    try self.fast.add(in: &tx, at: now)
    try self.slow.add(in: &tx, at: now)
  }

  /// Resets the short-term limit after a correct code.
  func succeed(in tx: inout any StoreTransaction, at now: Timestamp) throws(StoreError) {
    guard try !tx.limitCounters([self.fast.key], at: now).isEmpty else { return }
    try tx.removeLimitCounter(self.fast.key)
  }
}
