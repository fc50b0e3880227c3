import GRDB
public import SallyportProtocol
public import SallyportServer

private let codeByFingerprint = Granted<AuthorizationCodeRecord>.query("authorization_code", .authorizationCode)

extension SQLiteAccess {
  public func authorizationCode(_ fingerprint: Fingerprint) throws(StoreError) -> Granted<AuthorizationCodeRecord>? {
    try self.row(codeByFingerprint, [fingerprint]) { (row) throws(StoreError) in
      try Self.granted(Self.authorizationCode(row), row.after(Columns.authorizationCode.count))
    }
  }

  private static func authorizationCode(_ row: ResultRow) throws(StoreError) -> AuthorizationCodeRecord {
    AuthorizationCodeRecord(
      fingerprint: row.fingerprint(0), grant: GrantID(rawValue: row[1]), redirectURI: row[2],
      challenge: try (row[3] as String?).map { (text) throws(StoreError) in
        try readable(try? CodeChallenge(stored: text), "code challenge")
      },
      expiresAt: row.time(4), consumedAt: row.optionalTime(5), failures: row[6])
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
