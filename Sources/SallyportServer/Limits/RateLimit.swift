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

  /// The time until a counter at its limit is empty again.
  var span: Duration { self.interval * self.burst }
}
