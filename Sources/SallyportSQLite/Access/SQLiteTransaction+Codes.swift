import GRDB
public import SallyportProtocol
public import SallyportServer

extension SQLiteAccess {
  public func authorizationCode(_ fingerprint: Fingerprint) throws(StoreError) -> AuthorizationCodeRecord? {
    try self.row(
      """
      SELECT fingerprint, grant_id, redirect_uri, challenge, expires_at, consumed_at, failures FROM authorization_code
      WHERE fingerprint = ?
      """,
      [fingerprint]
    ) { (row) throws(StoreError) in
      AuthorizationCodeRecord(
        fingerprint: row.fingerprint(0), grant: GrantID(rawValue: row[1]), redirectURI: row[2],
        challenge: try (row[3] as String?).map { (text) throws(StoreError) in
          try readable(try? CodeChallenge(stored: text), "code challenge")
        },
        expiresAt: row.time(4), consumedAt: row.optionalTime(5), failures: row[6])
    }
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ code: AuthorizationCodeRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO authorization_code (fingerprint, grant_id, redirect_uri, challenge, expires_at, consumed_at, failures)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        code.fingerprint, code.grant.rawValue, code.redirectURI, code.challenge?.value, code.expiresAt,
        code.consumedAt, code.failures,
      ])
  }

  public mutating func consumeAuthorizationCode(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError) -> Bool {
    try self.change(
      """
      UPDATE authorization_code SET consumed_at = ? WHERE fingerprint = ? AND consumed_at IS NULL
      AND (SELECT revoked_at FROM oauth_grant WHERE id = grant_id) IS NULL
      """,
      [now, fingerprint]) == 1
  }

  public mutating func countFailedRedemption(_ fingerprint: Fingerprint) throws(StoreError) -> Int {
    try self.row(
      "UPDATE authorization_code SET failures = failures + 1 WHERE fingerprint = ? RETURNING failures", [fingerprint]
    ) { $0[0] } ?? 0
  }
}
