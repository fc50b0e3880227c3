import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var attemptCases: [Case] {
    [
      Case("RFC 9449, RFC 7523: an identifier is used once, by one of 300 callers, until it is removed") {
        try await self.usesIdentifiersOnce($0)
      },
      Case("attempts are counted within their window, each once") { try await self.countsAttempts($0) },
    ]
  }

  private static func usesIdentifiersOnce(_ harness: Harness) async throws {
    let (one, other) = (try await harness.open(), try await harness.open())
    let winners = try await race(300) { index in
      try await (index.isMultiple(of: 2) ? one : other).write { (tx) throws(StoreError) in
        try tx.useIdentifier(.example(1), expires: .start + .seconds(60))
      }
    }
    try expect(winners, is: 1, "callers who used it")
    try await one.read { (snapshot) throws(StoreError) in
      try agree(snapshot.isIdentifierUsed(.example(1)), "it is known as used")
      try agree(!snapshot.isIdentifierUsed(.example(2)), "another is not")
    }
    try await expect(one.removeExpired(before: .start + .seconds(60), limit: 10), is: 0, "removed within its time")
    try await expect(one.removeExpired(before: .start + .seconds(61), limit: 10), is: 1, "removed after it")
  }

  private static func countsAttempts(_ harness: Harness) async throws {
    let store = try await harness.open()
    let fifth = try await race(20) { _ in
      try await store.write { (tx) throws(StoreError) in
        try tx.countAttempt(.example(1), window: .seconds(60), at: .start) == 5
      }
    }
    try expect(fifth, is: 1, "callers who were told five")
    let counts = try await store.write { (tx) throws(StoreError) in
      [
        try tx.attempts(.example(1), at: .start + .seconds(59)), try tx.attempts(.example(1), at: .start + .seconds(60)),
        try tx.attempts(.example(2), at: .start), try tx.countAttempt(.example(2), window: .seconds(60), at: .start),
        try tx.countAttempt(.example(1), window: .seconds(60), at: .start + .seconds(59)),
        try tx.countAttempt(.example(1), window: .seconds(60), at: .start + .seconds(60)),
        try tx.countAttempt(.example(1), window: .seconds(60), at: .start + .seconds(119)),
      ]
    }
    try expect(counts, is: [20, 0, 0, 1, 21, 1, 2], "in the window, after it, another's; and counted on")
    try await expect(store.removeExpired(before: .start + .seconds(61), limit: 10), is: 1, "windows that ended")
  }
}
