import SallyportProtocol

/// Counts events by key in windows of a fixed length, in the memory of this process.
///
/// Use it if all allowed events of a window may occur at the same moment, or if the counts themselves are needed. A
/// ``RateLimiter`` spreads events over time and says how long to wait, and a ``StoredLimit`` counts for all processes.
struct WindowCounter<Key: Hashable & Sendable>: Sendable {
  let window: Duration
  private(set) var counts: [Key: Int] = [:]
  private var startedAt: Timestamp?

  init(window: Duration) {
    self.window = window
  }

  /// The end of the current window; nil if no window has begun.
  var end: Timestamp? { self.startedAt.map { $0 + self.window } }

  func count(of key: Key) -> Int { self.counts[key] ?? 0 }

  /// Counts one event for each key. The first event begins the window.
  mutating func add(_ keys: Key..., at now: Timestamp) {
    self.startedAt = self.startedAt ?? now
    for key in keys { self.counts[key, default: 0] += 1 }
  }

  /// Whether the current window is over. The window is also over if the clock was set back, because it would otherwise
  /// last too long.
  func hasEnded(at now: Timestamp) -> Bool {
    self.startedAt.map { !(.zero..<self.window).contains(now - $0) } ?? false
  }

  /// Ends the current window.
  mutating func reset() {
    self.startedAt = nil
    self.counts = [:]
  }
}
