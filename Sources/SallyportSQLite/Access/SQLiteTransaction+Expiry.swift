import SallyportProtocol
import SallyportServer

extension SQLiteTransaction {
  /// Removes at most `limit` rows that are no longer needed. Each search starts at the oldest row of an index, so a
  /// call takes the same time in a large database as in a small one. Codes that were not redeemed are found by
  /// ``AbandonedCodes``. See docs/decisions/0040-expiry-in-small-steps.md.
  ///
  /// Rows that are needed to detect a replay stay. A consumed code stays until its grant has expired or was revoked. A
  /// consumed refresh token stays until its own expiration, or until its grant has expired or was revoked if this is
  /// earlier. When an unredeemed code or an unconsumed refresh token expires, its grant ends too.
  ///
  /// - Parameter abandoned: The grants whose code expired without being redeemed.
  /// - Returns: The number of removed rows, without rows that a cascade removed.
  mutating func removeExpired(before now: Timestamp, limit: Int, abandoned: [GrantID]) throws(StoreError) -> Int {
    try self.change(Self.endOfUnusedTokens, [now, limit])
    var removed = try self.removeAbandoned(abandoned)
    for statement in Self.removals where removed < limit {
      removed += try self.change(statement, [now, limit - removed])
    }
    if removed < limit { removed += try self.removeAbandonedClients(before: now, limit: limit - removed) }
    return removed
  }

  /// The statements that remove expired rows. The codes and tokens of a grant are removed before the grant, so that an
  /// `ON DELETE CASCADE` removes no rows beyond the limit. A grant that still has codes or tokens stays until a later
  /// call.
  static var removals: [String] {
    let simpleRemovals = [
      ("burned_interaction", "id", "expires_at"), ("pushed_request", "fingerprint", "expires_at"),
      ("device_authorization", "fingerprint", "expires_at"), ("used_identifier", "fingerprint", "expires_at"),
      ("attempt", "fingerprint", "expires_at"), ("session_client", "sid, client_id", "expires_at"),
      ("account_link", "fingerprint", "expires_at"),
      ("sign_up", "fingerprint", "expires_at"),
      ("upstream_request", "fingerprint", "expires_at"), ("mail", "id", "expires_at"),
      ("initial_access_token", "fingerprint", "expires_at"),
      ("browser_session", "fingerprint", "expires_at"), ("browser_session", "fingerprint", "ended_at"),
      ("signing_key", "id", "removed_at"), ("refresh_token", "grant_id, number", "expires_at"),
    ].map { table, key, end in
      """
      DELETE FROM \(table) WHERE (\(key)) IN (
        SELECT \(key) FROM \(table) WHERE \(end) < ?1 ORDER BY \(end) LIMIT ?2)
      """
    }
    let grants = ["expires_at", "revoked_at"].flatMap { end in
      let endedGrants = "SELECT id FROM oauth_grant WHERE \(end) < ?1 ORDER BY \(end) LIMIT ?2"
      return [("authorization_code", "grant_id"), ("refresh_token", "grant_id, number")].map { child, key in
        """
        DELETE FROM \(child) WHERE (\(key)) IN (
          SELECT \(key) FROM \(child) WHERE grant_id IN (\(endedGrants)) LIMIT ?2)
        """
      } + [
        """
        DELETE FROM oauth_grant WHERE id IN (\(endedGrants))
          AND NOT EXISTS (SELECT 1 FROM authorization_code WHERE grant_id = oauth_grant.id)
          AND NOT EXISTS (SELECT 1 FROM refresh_token WHERE grant_id = oauth_grant.id)
        """
      ]
    }
    return simpleRemovals + grants
  }

  /// Removes clients that no operator registered, whose lease has expired, and that have no grants.
  private mutating func removeAbandonedClients(before now: Timestamp, limit: Int) throws(StoreError) -> Int {
    let removed = try self.rows(Self.abandonedClients, [now, limit]) {
      (row) throws(StoreError) in
      ClientID(rawValue: try row[0])
    }
    // `now` can be earlier than the current time, but the record must have the current time, or `audit --follow` would
    // not find it.
    for client in removed { try self.insert(AuditRecord(.clientRemoved, .unused, client: client, from: .server, at: .now())) }
    return removed.count
  }

  static var abandonedClients: String {
    """
    DELETE FROM client WHERE origin <> 'operator' AND id IN (
      SELECT client_id FROM client_lease WHERE expires_at < ?1
        AND NOT EXISTS (SELECT 1 FROM oauth_grant WHERE oauth_grant.client_id = client_lease.client_id)
      ORDER BY expires_at LIMIT ?2)
    RETURNING id
    """
  }

  /// Ends each grant whose unconsumed refresh token has expired, even if the grant itself would have lasted longer.
  static var endOfUnusedTokens: String {
    """
    UPDATE oauth_grant SET expires_at = ended.at
    FROM (
      SELECT grant_id, expires_at AS at, consumed_at FROM refresh_token WHERE expires_at < ?1 ORDER BY expires_at LIMIT ?2
    ) AS ended
    WHERE oauth_grant.id = ended.grant_id AND oauth_grant.expires_at > ended.at AND ended.consumed_at IS NULL
    """
  }
}
