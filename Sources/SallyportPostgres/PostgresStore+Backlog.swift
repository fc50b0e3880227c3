package import SallyportProtocol
package import SallyportServer

extension PostgresStore {
  /// Counts the rows that expired before `then` and that ``removeExpired(before:limit:)`` has not removed yet. Only the
  /// rows of these tables are counted: grants, refresh tokens, consumed interactions, used identifiers, attempts,
  /// pushed requests, and browser sessions.
  /// - Throws: ``StoreError/unusable(reason:)`` or ``StoreError/unavailable(reason:)``
  package func countExpired(before then: Timestamp) async throws(StoreError) -> Int {
    let tables = [
      "oauth_grant", "refresh_token", "consumed_interaction", "used_identifier", "attempt", "pushed_request", "browser_session",
    ]
    let counts = tables.map { "(SELECT count(*) FROM \($0) WHERE expires_at < $1)" }.joined(separator: " + ")
    return try await self.maintain { (runner) throws(StoreError) in
      try runner.read { (snapshot) throws(StoreError) in
        try snapshot.row("SELECT \(counts)", [then]) { (row) throws(StoreError) in try row[0] } ?? 0
      }
    }
  }
}
