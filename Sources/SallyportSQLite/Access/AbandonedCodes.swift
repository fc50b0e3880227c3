import SallyportProtocol
import SallyportServer
import Synchronization

/// Finds authorization codes that expired without being redeemed, without an index on their expiration.
///
/// Codes are stored in the order of their grants, whose identifiers begin with the creation time, so codes expire in
/// roughly that order. The search remembers the position up to which every code was redeemed, and does not read the
/// codes up to this position again. It misses a code that is added before the position, for example because the clock
/// moved back, the commit took longer than the lifetime of a code, or a backup was restored. Such a code is found after
/// the server restarts, or is removed together with its grant.
final class AbandonedCodes: Sendable {
  /// The number of codes that are read at a time.
  private static let page = 1_000
  /// The position: the last grant in the order of identifiers up to which every code was redeemed. Codes up to this
  /// grant are not read again.
  private let searchPosition = Mutex("")

  /// Reads codes page by page until enough are found, or until it reaches a code that has not expired. The first search
  /// after a start begins with the first code.
  /// - Parameter limit: The maximum number of codes to find.
  /// - Returns: The grants whose code expired before `now` without being redeemed. Later searches return them again
  ///   until they are removed.
  func find(before now: Timestamp, limit: Int, in readers: ReaderPool) async throws(StoreError) -> [GrantID] {
    // In the first schema version, identifiers contained no time, and most of them sort after all newer identifiers.
    // The position must not reach them, because every new code would then be before the position and never be read.
    let lowerBound = GrantID.lowerBound(now)
    var found: [GrantID] = []
    var position = self.searchPosition.withLock { searchPosition in
      searchPosition = min(searchPosition, lowerBound)
      return searchPosition
    }
    while found.count < limit, !Task.isCancelled {
      let start = position
      let page = try await readers.read { (db) throws(StoreError) in
        try SQLiteSnapshot(db: db).codes(after: start, limit: Self.page)
      }
      for code in page {
        guard code.expiresAt < now, found.count < limit else { return found }
        position = code.grant.rawValue
        if !code.isConsumed { found.append(code.grant) }
        if found.isEmpty, position < lowerBound { self.searchPosition.withLock { $0 = position } }
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
    ) { (row) throws(StoreError) in
      try Code(grant: GrantID(rawValue: row[0]), expiresAt: row.time(1), isConsumed: row[2])
    }
  }
}

extension SQLiteTransaction {
  /// Removes the codes that ``AbandonedCodes`` found. Also sets the expiration of each grant to that of its code, so
  /// that the grant is removed like other expired grants.
  /// - Returns: The number of codes removed.
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
