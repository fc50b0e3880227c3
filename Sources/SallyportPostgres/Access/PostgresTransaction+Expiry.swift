import SallyportProtocol
import SallyportServer

extension PostgresTransaction {
  /// Removes at most `limit` rows that are no longer needed. Each search starts at the oldest row of an index, so one
  /// call takes the same time in a large database as in a small one. See docs/decisions/0040-expiry-in-small-steps.md.
  ///
  /// Rows that are needed to detect a replay stay: a consumed code until its grant ends, and a consumed refresh token
  /// until it would have expired or its grant ends. When a code or a refresh token expires without having been used,
  /// its grant ends too.
  ///
  /// Each row is locked before it is removed, and rows that another transaction has locked are skipped. The transaction
  /// can therefore be `READ COMMITTED`, and rarely conflicts with requests. One server at a time removes rows.
  /// - Returns: The number of removed rows; nil if another server is removing rows.
  mutating func removeExpired(before now: Timestamp, limit: Int) throws(StoreError) -> Int? {
    let isAlone = try self.row("SELECT pg_try_advisory_xact_lock($1)", [Self.expiryLock]) { (row) throws(StoreError) in
      try row[0] as Bool
    }
    guard isAlone == true else { return nil }
    try self.queue(Self.endOfUnusedTokens, [now, limit])
    var removed = 0
    for statement in Self.removals where removed < limit {
      removed += try self.change(statement, [now, limit - removed])
    }
    return removed
  }

  /// The key of the advisory lock that is held while rows are removed: a random number.
  static var expiryLock: Int64 { 6_281_045_937_718_022 }

  /// Removes at most `limit` clients that no operator registered, whose lease (how long such a client is kept) has
  /// expired, and that have no grants.
  mutating func removeUnusedClients(before now: Timestamp, limit: Int) throws(StoreError) -> Int {
    let unusedClients = try self.rows(
      """
      SELECT client_id FROM client_lease
      WHERE expires_at < $1 AND EXISTS (SELECT 1 FROM client WHERE client.id = client_id AND origin <> 'operator')
        AND NOT EXISTS (SELECT 1 FROM oauth_grant WHERE oauth_grant.client_id = client_lease.client_id)
      ORDER BY expires_at LIMIT $2
      """, [now, limit]
    ) { (row) throws(StoreError) in ClientID(rawValue: try row[0]) }
    for client in unusedClients {
      try self.queue("DELETE FROM client WHERE id = $1", [client.rawValue])
      // `now` can be earlier than the current time, but the record must have the current time, or `audit --follow`
      // would not find it.
      try self.insert(AuditRecord(.clientRemoved, .unused, client: client, from: .server, at: .now()))
    }
    return unusedClients.count
  }

  /// The statements that remove expired rows. The codes and tokens of a grant are removed before the grant, so that no
  /// cascade exceeds the limit. A grant that still has codes or tokens stays until the next call.
  private static var removals: [String] {
    // Each entry is a table, its primary key, and the column with the time after which a row is no longer needed.
    let simpleRemovals = [
      ("consumed_interaction", "id", "expires_at"), ("pushed_request", "fingerprint", "expires_at"),
      ("device_authorization", "fingerprint", "expires_at"), ("used_identifier", "fingerprint", "expires_at"),
      ("attempt", "fingerprint", "expires_at"), ("session_client", "sid, client_id", "expires_at"),
      ("account_link", "fingerprint", "expires_at"),
      ("sign_up", "fingerprint", "expires_at"),
      ("upstream_request", "fingerprint", "expires_at"), ("mail", "id", "expires_at"),
      ("initial_access_token", "fingerprint", "expires_at"),
      ("browser_session", "fingerprint", "expires_at"), ("browser_session", "fingerprint", "ended_at"),
      ("signing_key", "id", "removed_at"), ("refresh_token", "grant_id, number", "expires_at"),
    ].map { table, key, end in
      self.removal(from: table, key, "SELECT \(key) FROM \(table) WHERE \(end) < $1 ORDER BY \(end) LIMIT $2")
    }
    let grants = ["expires_at", "revoked_at"].flatMap { end in
      let endedGrants = "SELECT id FROM oauth_grant WHERE \(end) < $1 ORDER BY \(end) LIMIT $2"
      return [("authorization_code", "grant_id"), ("refresh_token", "grant_id, number")].map { child, key in
        self.removal(from: child, key, "SELECT \(key) FROM \(child) WHERE grant_id IN (\(endedGrants)) LIMIT $2")
      } + [
        self.removal(from: "oauth_grant", "id", endedGrants) + """
             AND NOT EXISTS (SELECT 1 FROM authorization_code WHERE grant_id = oauth_grant.id)
            AND NOT EXISTS (SELECT 1 FROM refresh_token WHERE grant_id = oauth_grant.id)
          """
      ]
    }
    return [self.removalOfUnusedCodes] + simpleRemovals + grants
  }

  /// A statement that removes the rows that `selection` finds, except for rows that another transaction has locked.
  private static func removal(from table: String, _ key: String, _ selection: String) -> String {
    """
    WITH ended AS MATERIALIZED (\(selection) FOR UPDATE SKIP LOCKED)
    DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM ended)
    """
  }

  /// The maximum number of expired codes that one step examines. Nearly all of them were redeemed, and stay.
  private static var examinedCodes: Int { 100_000 }

  /// Removes codes that expired without being redeemed. Each grant expires with its code.
  ///
  /// The statement examines the codes that expired since the time in `codes_examined_until`, in the order of their
  /// expiration, and then advances this time. If the statement reaches the limit for unused codes or for examined
  /// codes, it advances the time only to the last code within the limit. At the limit for examined codes, the time
  /// advances by at least a millisecond, so that the search goes on even if too many codes have the same expiration. An
  /// unused code that another transaction has locked stays until its grant ends. If a server whose clock was ahead has
  /// advanced the time too far, the next step sets the time back.
  private static var removalOfUnusedCodes: String {
    """
    WITH expired AS MATERIALIZED (
      SELECT grant_id, expires_at, consumed_at FROM authorization_code
      WHERE expires_at >= (SELECT codes_examined_until FROM configuration) AND expires_at < $1
      ORDER BY expires_at LIMIT \(Self.examinedCodes)
    ), unused AS MATERIALIZED (
      SELECT grant_id, expires_at FROM expired WHERE consumed_at IS NULL ORDER BY expires_at LIMIT $2
    ), locked AS MATERIALIZED (
      SELECT grant_id, expires_at FROM authorization_code
      WHERE grant_id IN (SELECT grant_id FROM unused) AND consumed_at IS NULL FOR UPDATE SKIP LOCKED
    ), examined AS (
      UPDATE configuration SET codes_examined_until = CASE
        WHEN (SELECT count(*) FROM unused) = $2 THEN (SELECT max(expires_at) FROM unused)
        WHEN (SELECT count(*) FROM expired) = \(Self.examinedCodes)
          THEN greatest((SELECT max(expires_at) FROM expired), codes_examined_until + 1)
        ELSE $1 END
    ), ended AS (
      UPDATE oauth_grant SET expires_at = locked.expires_at FROM locked
      WHERE oauth_grant.id = locked.grant_id AND oauth_grant.expires_at > locked.expires_at
    )
    DELETE FROM authorization_code WHERE grant_id IN (SELECT grant_id FROM locked)
    """
  }

  /// Ends each grant whose latest refresh token has expired without having been used, even if the grant itself would
  /// have lasted longer.
  ///
  /// Examines the expired tokens that the same step removes if it does not reach its limit before. Nearly all of them
  /// were used, so a search for unused ones would read far more tokens than the limit.
  static var endOfUnusedTokens: String {
    """
    WITH expired AS MATERIALIZED (
      SELECT grant_id, expires_at, consumed_at FROM refresh_token WHERE expires_at < $1
      ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    UPDATE oauth_grant SET expires_at = expired.expires_at FROM expired
    WHERE oauth_grant.id = expired.grant_id AND oauth_grant.expires_at > expired.expires_at AND expired.consumed_at IS NULL
    """
  }
}
