public import SallyportProtocol
public import SallyportServer

extension SQLiteStore {
  /// Counts the rows that expired before `then` and that ``removeExpired(before:limit:)`` has not removed yet. Only
  /// grants, refresh tokens, consumed interactions, identifiers that can be used once (such as the `jti` of a DPoP
  /// proof), attempts, pushed requests, and browser sessions are counted.
  /// - Throws: ``StoreError/unavailable(reason:)``
  public func countExpired(before then: Timestamp) async throws(StoreError) -> Int {
    let tables = [
      "oauth_grant", "refresh_token", "burned_interaction", "used_identifier", "attempt", "pushed_request", "browser_session",
    ]
    let counts = tables.map { "(SELECT count(*) FROM \($0) WHERE expires_at < ?1)" }.joined(separator: " + ")
    return try await self.readers.read { (db) throws(StoreError) in
      try SQLiteSnapshot(db: db).row("SELECT \(counts)", [then]) { (row) throws(StoreError) in try row[0] } ?? 0
    }
  }
}
