/// How a quota is divided among callers, so that unauthenticated callers cannot use it up (rule S-42).
struct QuotaShares: Sendable {
  let total: Int

  /// The share of all unauthenticated callers together: half.
  var unauthenticated: Int { max(1, self.total / 2) }
  /// The share of one address: 5%.
  var address: Int { max(1, self.total / 20) }
}
