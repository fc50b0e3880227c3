import SallyportProtocol

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

  /// Returns how long the next event must wait, with the generic cell rate algorithm: a counter stores only the time at
  /// which it will be empty, and each event moves this time by ``interval``.
  ///
  /// If the clock was set back, the wait is still at most that of a full counter.
  /// - Parameter end: The time at which the counter will be empty.
  /// - Returns: Nil if the event need not wait.
  func wait(until end: Timestamp, at now: Timestamp) -> Duration? {
    // The next event need not wait if the counter will be empty within `span - interval`.
    let wait = min(end, now + self.span) - now - (self.span - self.interval)
    return wait > .zero ? wait : nil
  }
}
