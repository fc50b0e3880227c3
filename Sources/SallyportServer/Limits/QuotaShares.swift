/// How a quota is divided among those who use it, so that no unauthenticated caller can stop the others (rule S-42).
struct QuotaShares: Sendable {
  let total: Int

  /// What callers that did not authenticate get together: at most half.
  var unauthenticated: Int { max(1, self.total / 2) }
  /// What one address gets: at most 5 %.
  var address: Int { max(1, self.total / 20) }
}

extension RateLimit {
  /// At most `count` in any period of this length, of which about half may come at once.
  static func atMost(_ count: Int, in period: Duration) -> RateLimit {
    let burst = count / 2 + 1
    return RateLimit(burst, thenOneEach: period / (count - burst + 1))
  }
}
