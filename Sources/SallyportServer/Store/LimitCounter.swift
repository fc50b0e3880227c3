/// The counters of rate limits in a ``Store``.
package enum LimitCounter {
  /// How far the time at which a counter was last raised may be ahead of the clock. Clocks of servers may differ by
  /// five seconds. A difference of more than a minute means that a clock was wrong.
  package static var tolerance: Duration { .seconds(60) }
}
