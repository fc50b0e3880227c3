/// So many at once, and after those one more each `interval`.
public struct RateLimit: Sendable, Equatable {
  public var burst: Int
  public var interval: Duration

  public init(_ burst: Int, thenOneEach interval: Duration) {
    self.burst = burst
    self.interval = interval
  }

  /// The time from an empty count to a full one.
  var span: Duration { self.interval * self.burst }
}
