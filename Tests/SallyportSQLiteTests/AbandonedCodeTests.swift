import GRDB
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportSQLite

/// Tests of ``AbandonedCodes``, which finds codes that expired without being redeemed. It remembers the position up to
/// which every code was redeemed, and does not read these codes again. The tests depend on this position, so they are
/// not part of the shared tests for all stores.
@Suite("Codes that were not redeemed")
struct AbandonedCodeTests {
  private static let start = Timestamp(seconds: 1_800_000_000)
  /// A time at which the codes have expired.
  private static let later = start + .seconds(61)

  /// The identifier of a grant that was issued at ``start``.
  private static func grant(_ name: String) -> String { GrantID.lowerBound(self.start) + "-" + name }

  /// Inserts grants, each with a code that is valid for a minute.
  private static func insert(_ grants: [String], consumedAt: Int64? = nil, in store: SQLiteStore) async throws {
    try await store.pool.write { db in
      for grant in grants {
        try db.execute(
          sql:
            "INSERT INTO oauth_grant VALUES (?, 'c', 'a', 'openid', NULL, 0, 0, ?, NULL, NULL, NULL, '', NULL, NULL, NULL, '', NULL)",
          arguments: [grant, (self.start + .seconds(86_400)).milliseconds])
        try db.execute(
          sql: "INSERT INTO authorization_code VALUES (?, zeroblob(32), 'https://a/', NULL, ?, ?, 0)",
          arguments: [grant, (self.start + .seconds(60)).milliseconds, consumedAt])
      }
    }
  }

  private func withStore(_ body: (SQLiteStore) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    try await store.pool.write { db in
      try db.execute(
        sql: """
          INSERT INTO account VALUES ('a', 'ada', '$', 0, NULL, NULL, 0, NULL, NULL, NULL);
          INSERT INTO client VALUES ('c', 'Notes', 'public', 'native', 'operator', 'openid', 'ES256', 'none', NULL, NULL, NULL,
            'authorization_code', 0, NULL, '{}', 0);
          """)
    }
    try await body(store)
  }

  @Test("expired codes are found in the order of their grants until they are removed; redeemed and valid codes are not found")
  func findsAgain() async throws {
    try await self.withStore { store in
      try await Self.insert([Self.grant("a"), Self.grant("c")], in: store)
      try await Self.insert([Self.grant("b"), Self.grant("d")], consumedAt: 1, in: store)
      let codes = AbandonedCodes()
      // The second search finds the same codes again.
      for _ in 0...1 {
        let found = try await codes.find(before: Self.later, limit: 9, in: store.readers)
        #expect(found.map(\.rawValue) == [Self.grant("a"), Self.grant("c")])
      }
      #expect(try await codes.find(before: Self.start + .seconds(60), limit: 9, in: store.readers) == [])
      #expect(try await store.removeExpired(before: Self.later, limit: 9) == 4)
      #expect(try await codes.find(before: Self.later, limit: 9, in: store.readers) == [])
    }
  }

  @Test("grants of the first schema, whose IDs are not in order of time, do not hide later codes")
  func oldIdentifiers() async throws {
    try await self.withStore { store in
      try await Self.insert(["Zb3", "zz9"], consumedAt: 1, in: store)
      let codes = AbandonedCodes()
      #expect(try await codes.find(before: Self.later, limit: 9, in: store.readers) == [])
      try await Self.insert([Self.grant("a")], in: store)
      #expect(try await codes.find(before: Self.later, limit: 9, in: store.readers).map(\.rawValue) == [Self.grant("a")])
    }
  }
}
