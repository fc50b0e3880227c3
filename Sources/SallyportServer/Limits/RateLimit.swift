/// A rate limit that allows `burst` events at once, and then one event per `interval`.
public struct RateLimit: Sendable, Equatable {
  /// The number of events that may occur at once.
  public var burst: Int
  /// The time after which one more event is allowed.
  public var interval: Duration

  public init(_ burst: Int, thenOneEach interval: Duration) {
    self.burst = burst
    self.interval = interval
  }

  /// Returns a limit of at most `count` events in any period of this length. About half of them may occur at once.
  static func atMost(_ count: Int, in period: Duration) -> RateLimit {
    let burst = count / 2 + 1
    return RateLimit(burst, thenOneEach: period / (count - burst + 1))
  }

  /// The time until a counter at its limit is empty again.
  var span: Duration { self.interval * self.burst }
}
