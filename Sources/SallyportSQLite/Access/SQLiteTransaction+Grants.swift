import GRDB
public import SallyportProtocol
public import SallyportServer

extension SQLiteAccess {
  public func grant(_ id: GrantID) throws(StoreError) -> GrantRecord? {
    try self.row(
      """
      SELECT id, client_id, account_id, scope, nonce, authenticated_at, created_at, expires_at, revoked_at, revocation_reason
      FROM oauth_grant WHERE id = ?
      """,
      [id.rawValue]
    ) { row in
      GrantRecord(
        id: GrantID(rawValue: row[0]), client: ClientID(rawValue: row[1]), account: AccountID(rawValue: row[2]),
        scope: try row.scope(3), nonce: row[4], authenticatedAt: row.time(5), createdAt: row.time(6), expiresAt: row.time(7),
        revokedAt: row.optionalTime(8),
        revocationReason: try (row[9] as String?).map { text in
          try readable(RevocationReason(rawValue: text), "revocation reason")
        })
    }
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ grant: GrantRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO oauth_grant (id, client_id, account_id, scope, nonce, authenticated_at, created_at, expires_at, revoked_at,
        revocation_reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        grant.id.rawValue, grant.client.rawValue, grant.account.rawValue, grant.scope.description, grant.nonce,
        grant.authenticatedAt.milliseconds, grant.createdAt.milliseconds, grant.expiresAt.milliseconds,
        grant.revokedAt?.milliseconds, grant.revocationReason?.rawValue,
      ])
  }

  /// The grant's codes and tokens are not touched: what uses them asks for the grant in the same statement.
  public mutating func revokeGrant(_ id: GrantID, reason: RevocationReason, at now: Timestamp) throws(StoreError) {
    let isNew = try self.change(
      "UPDATE oauth_grant SET revoked_at = ?, revocation_reason = ? WHERE id = ? AND revoked_at IS NULL",
      [now.milliseconds, reason.rawValue, id.rawValue])
    guard isNew == 1 else { return }
    try self.change(
      "UPDATE refresh_token SET sealed_successor = NULL WHERE grant_id = ? AND sealed_successor IS NOT NULL", [id.rawValue])
  }

  public mutating func revokeGrants(of account: AccountID, reason: RevocationReason, at now: Timestamp) throws(StoreError) {
    let grants = try self.rows(
      "SELECT id FROM oauth_grant WHERE account_id = ? AND revoked_at IS NULL", [account.rawValue]
    ) { GrantID(rawValue: $0[0]) }
    for grant in grants {
      try self.revokeGrant(grant, reason: reason, at: now)
    }
  }
}
