import SallyportProtocol

/// Counts events by key against a short-term and a long-term limit, in the memory of this process. The number of
/// entries is bounded.
///
/// For each limit, an entry stores the time at which the counter of this limit will be empty, as ``RateLimit``
/// describes. An entry whose times have passed can be removed. A ``StoredRateLimit`` counts the events of all
/// processes, in the store.
struct RateLimiter<Key: Hashable & Sendable>: Sendable {
  /// The times at which the counters of both limits will be empty.
  private struct Entry {
    var fast: Timestamp
    var slow: Timestamp
  }

  /// The short-term limit.
  let fast: RateLimit
  /// The long-term limit.
  let slow: RateLimit
  /// The maximum number of entries.
  let capacity: Int
  private var entries: [Key: Entry] = [:]

  init(fast: RateLimit, slow: RateLimit, capacity: Int = 50_000) {
    self.fast = fast
    self.slow = slow
    // `makeRoom` frees a quarter of the capacity, which must be at least one entry.
    self.capacity = max(4, capacity)
  }

  var count: Int { self.entries.count }

  /// Returns how long `key` must wait; nil if it need not wait. If the clock was set back, the wait is still at most as
  /// long as with a full counter.
  mutating func wait(_ key: Key, at now: Timestamp) -> Duration? {
    guard var entry = self.entries[key] else { return nil }
    entry.fast = min(entry.fast, now + self.fast.span)
    entry.slow = min(entry.slow, now + self.slow.span)
    self.entries[key] = entry
    let (fastWait, slowWait) = (self.fast.wait(until: entry.fast, at: now), self.slow.wait(until: entry.slow, at: now))
    guard let fastWait, let slowWait else { return fastWait ?? slowWait }
    return max(fastWait, slowWait)
  }

  mutating func add(_ key: Key, at now: Timestamp) {
    let entry = self.entries[key] ?? Entry(fast: now, slow: now)
    if self.entries.count >= self.capacity, self.entries[key] == nil { self.makeRoom(at: now) }
    self.entries[key] = Entry(
      fast: max(entry.fast, now) + self.fast.interval, slow: max(entry.slow, now) + self.slow.interval)
  }

  /// Undoes one call of ``add(_:at:)``.
  mutating func refund(_ key: Key, at now: Timestamp) {
    guard let entry = self.entries[key] else { return }
    let earlier = Entry(fast: entry.fast - self.fast.interval, slow: entry.slow - self.slow.interval)
    self.entries[key] = max(earlier.fast, earlier.slow) > now ? earlier : nil
  }

  mutating func forget(_ key: Key) {
    self.entries[key] = nil
  }

  /// Removes the entries whose counters are empty, and then those with the lowest long-term counters, until at most
  /// three quarters of the capacity are used. A flood of made-up user names therefore does not remove the counter of an
  /// account under attack.
  private mutating func makeRoom(at now: Timestamp) {
    self.entries = self.entries.filter { max($0.value.fast, $0.value.slow) > now }
    let surplus = self.entries.count - self.capacity * 3 / 4
    guard surplus > 0 else { return }
    let highestRemoved = self.entries.values.map(\.slow).sorted()[surplus - 1]
    self.entries = self.entries.filter { $0.value.slow > highestRemoved }
  }
}
