import SallyportProtocol
import SallyportServer
import Synchronization

/// Finds the codes that nobody redeemed in time, without an index that each code would have to enter and leave.
///
/// Codes lie in the order of their grants, whose identifiers begin with the time, so they end in about that order, and a code that was
/// redeemed is passed and not looked at again. A code that comes behind what was passed, since the clock went back, its commit took longer
/// than a code lives, or a backup brought it back, is found after the next start, or goes with its grant.
final class AbandonedCodes: Sendable {
  private static let page = 1_000
  /// The grant of the last code up to which there is none to find.
  private let passed = Mutex("")

  /// Reads as many codes as it takes, a page at a time, which after a start are all.
  /// - Parameter limit: how many to find at most.
  /// - Returns: the grants whose code ended before `now` without having been redeemed. They are found again until they are removed.
  func find(before now: Timestamp, limit: Int, in readers: ReaderPool) async throws(StoreError) -> [GrantID] {
    // Grants of the first schema have identifiers of another kind, most of which sort after those of any time: they are never passed.
    let bound = GrantID.bound(now)
    var found: [GrantID] = []
    var position = self.passed.withLock { passed in
      passed = min(passed, bound)
      return passed
    }
    while found.count < limit, !Task.isCancelled {
      let page = try readers.read { (db) throws(StoreError) in
        try SQLiteSnapshot(db: db).codes(after: position, limit: Self.page)
      }
      for code in page {
        guard code.expiresAt < now, found.count < limit else { return found }
        position = code.grant.rawValue
        if !code.isConsumed { found.append(code.grant) }
        if found.isEmpty, position < bound { self.passed.withLock { $0 = position } }
      }
      if page.count < Self.page { break }
      await Task.yield()
    }
    return found
  }
}

extension SQLiteAccess {
  fileprivate struct Code {
    let grant: GrantID
    let expiresAt: Timestamp
    let isConsumed: Bool
  }

  fileprivate func codes(after grant: String, limit: Int) throws(StoreError) -> [Code] {
    try self.rows(
      "SELECT grant_id, expires_at, consumed_at IS NOT NULL FROM authorization_code WHERE grant_id > ? ORDER BY grant_id LIMIT ?",
      [grant, limit]
    ) { Code(grant: GrantID(rawValue: $0[0]), expiresAt: $0.time(1), isConsumed: $0[2]) }
  }
}

extension SQLiteTransaction {
  /// Removes the codes that ``AbandonedCodes`` has found. Each grant ends with its code, and goes as others that have ended.
  /// - Returns: how many codes were removed.
  mutating func removeAbandoned(_ grants: [GrantID]) throws(StoreError) -> Int {
    var removed = 0
    for grant in grants {
      try self.change(
        """
        UPDATE oauth_grant SET expires_at = code.expires_at FROM authorization_code AS code
        WHERE oauth_grant.id = ?1 AND code.grant_id = ?1 AND code.consumed_at IS NULL AND oauth_grant.expires_at > code.expires_at
        """,
        [grant.rawValue])
      removed += try self.change(
        "DELETE FROM authorization_code WHERE grant_id = ? AND consumed_at IS NULL", [grant.rawValue])
    }
    return removed
  }
}
