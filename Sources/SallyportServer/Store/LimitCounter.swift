/// The counters of rate limits in a ``Store``.
package enum LimitCounter {
  /// How far the time at which a counter was last raised may be ahead of the clock. Clocks of servers may differ by
  /// five seconds. A difference of more than an hour means that a clock was wrong. The time is much longer than the
  /// tolerated difference, because the limits do not hold between servers whose clocks differ by more.
  package static var tolerance: Duration { .seconds(3600) }
}
