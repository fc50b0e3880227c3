import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var attemptCases: [Case] {
    [
      Case("RFC 9449, RFC 7523: only one of 300 concurrent callers uses an identifier") {
        try await self.usesIdentifiersOnce($0)
      },
      Case("concurrent attempts are counted exactly, within their window") { try await self.countsAttempts($0) },
      Case("20 concurrent calls all raise the counter of a rate limit, and a counter is removed once it is empty") {
        try await self.raisesCounters($0)
      },
      Case("a counter of a rate limit is empty if it was last raised in the future, when a clock was wrong") {
        try await self.ignoresFutureCounters($0)
      },
    ]
  }

  private static func usesIdentifiersOnce(_ harness: Harness) async throws {
    let (firstStore, secondStore) = (try await harness.open(), try await harness.open())
    let successes = try await concurrentSuccesses(of: 300) { index in
      try await (index.isMultiple(of: 2) ? firstStore : secondStore).write { (tx) throws(StoreError) in
        try tx.consumeIdentifier(.example(1), expires: .start + .seconds(60))
      }
    }
    try expect(successes, is: 1, "successful callers")
    try await firstStore.read { (snapshot) throws(StoreError) in
      try check(snapshot.isIdentifierConsumed(.example(1)), "the identifier must be marked as used")
      try check(!snapshot.isIdentifierConsumed(.example(2)), "another identifier must not be marked as used")
    }
    try await expect(
      firstStore.removeExpired(before: .start + .seconds(60), limit: 10), is: 0, "identifiers removed before they expire")
    try await expect(
      firstStore.removeExpired(before: .start + .seconds(61), limit: 10), is: 1, "identifiers removed after they expire")
  }

  private static func countsAttempts(_ harness: Harness) async throws {
    let store = try await harness.open()
    let countsOfFive = try await concurrentSuccesses(of: 20) { _ in
      try await store.write { (tx) throws(StoreError) in
        try tx.countAttempt(.example(1), window: .seconds(60), at: .start) == 5
      }
    }
    try expect(countsOfFive, is: 1, "callers that received the count five")
    let counts = try await store.write { (tx) throws(StoreError) in
      [
        // The window of the first key ends after 60 seconds.
        try tx.attempts(.example(1), at: .start + .seconds(59)), try tx.attempts(.example(1), at: .start + .seconds(60)),
        try tx.attempts(.example(2), at: .start), try tx.countAttempt(.example(2), window: .seconds(60), at: .start),
        try tx.countAttempt(.example(1), window: .seconds(60), at: .start + .seconds(59)),
        // This attempt starts a new window.
        try tx.countAttempt(.example(1), window: .seconds(60), at: .start + .seconds(60)),
        try tx.countAttempt(.example(1), window: .seconds(60), at: .start + .seconds(119)),
      ]
    }
    try expect(counts, is: [20, 0, 0, 1, 21, 1, 2], "counts within the window, after its end, and of another key")
    try await expect(store.removeExpired(before: .start + .seconds(61), limit: 10), is: 1, "windows removed after their end")
  }

  private static func raisesCounters(_ harness: Harness) async throws {
    let (firstStore, secondStore) = (try await harness.open(), try await harness.open())
    _ = try await concurrentSuccesses(of: 20) { index in
      try await (index.isMultiple(of: 2) ? firstStore : secondStore).write { (tx) throws(StoreError) in
        try tx.raiseLimitCounter(.example(1), by: .seconds(10), at: .start)
        return true
      }
    }
    let ends = try await secondStore.write { (tx) throws(StoreError) in
      try tx.raiseLimitCounter(.example(2), by: .seconds(10), at: .start)
      try tx.raiseLimitCounter(.example(2), by: .seconds(10), at: .start + .seconds(60))
      try tx.raiseLimitCounter(.example(3), by: .seconds(10), at: .start)
      try tx.removeLimitCounter(.example(3))
      return try tx.limitCounters([.example(1), .example(2), .example(3), .example(4)], at: .start)
    }
    // Counter 1 was raised 20 times by 10 seconds. Counter 2 was empty after 10 seconds, and was raised again at
    // second 60.
    try expect(
      ends, is: [.example(1): .start + .seconds(200), .example(2): .start + .seconds(70)],
      "the times at which the counters are empty")
    try await expect(
      firstStore.removeExpired(before: .start + .seconds(71), limit: 10), is: 1, "counters removed when they are empty")
  }

  private static func ignoresFutureCounters(_ harness: Harness) async throws {
    let store = try await harness.open()
    let (tolerated, wrong) = (Timestamp.start + .seconds(60), Timestamp.start + .seconds(86_400))
    let ends = try await store.write { (tx) throws(StoreError) in
      try tx.raiseLimitCounter(.example(1), by: .seconds(10), at: tolerated)
      for _ in 0..<5 { try tx.raiseLimitCounter(.example(2), by: .seconds(10), at: wrong) }
      let before = try tx.limitCounters([.example(1), .example(2)], at: .start)
      for _ in 0..<2 { try tx.raiseLimitCounter(.example(2), by: .seconds(10), at: .start) }
      return [before, try tx.limitCounters([.example(2)], at: .start)]
    }
    try expect(
      ends, is: [[.example(1): tolerated + .seconds(10)], [.example(2): .start + .seconds(20)]],
      "the counters before and after another event")
  }
}
