/// How a quota is divided among callers, so that unauthenticated callers cannot use it up (rule S-42).
struct QuotaShares: Sendable {
  let total: Int

  /// The share of all unauthenticated callers together: half.
  var unauthenticated: Int { max(1, self.total / 2) }
  /// The share of one address: 5%.
  var address: Int { max(1, self.total / 20) }
}

extension RateLimit {
  /// Returns a limit of at most `count` events in any period of this length. About half of them may occur at once.
  static func atMost(_ count: Int, in period: Duration) -> RateLimit {
    let burst = count / 2 + 1
    return RateLimit(burst, thenOneEach: period / (count - burst + 1))
  }
}
