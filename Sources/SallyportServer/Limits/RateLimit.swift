/// A rate limit that allows `burst` events at once, and then one event per `interval`.
public struct RateLimit: Sendable, Equatable {
  public var burst: Int
  public var interval: Duration

  public init(_ burst: Int, thenOneEach interval: Duration) {
    self.burst = burst
    self.interval = interval
  }

  /// The time until a counter at its limit is empty again.
  var span: Duration { self.interval * self.burst }
}
