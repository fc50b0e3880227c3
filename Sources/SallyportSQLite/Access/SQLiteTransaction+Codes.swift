public import SallyportProtocol
public import SallyportServer

private let codeOfGrant = GrantedCredential<AuthorizationCodeRecord>.query(
  .authorizationCode, where: "grant_id = ?1 AND fingerprint = ?2")

extension SQLiteAccess {
  public func authorizationCode(
    _ fingerprint: Fingerprint, of grant: GrantID
  ) throws(StoreError) -> GrantedCredential<AuthorizationCodeRecord>? {
    try self.row(codeOfGrant, [grant.rawValue, fingerprint]) { (row) throws(StoreError) in
      try Self.granted(Self.authorizationCode(row), row.droppingFirst(Columns.authorizationCode.count))
    }
  }

  private static func authorizationCode(_ row: ResultRow) throws(StoreError) -> AuthorizationCodeRecord {
    try AuthorizationCodeRecord(
      fingerprint: row.fingerprint(1), grant: GrantID(rawValue: row[0]), redirectURI: row[2],
      challenge: (row[3] as String?).map { (text) throws(StoreError) in
        try unwrapStored(try? CodeChallenge(stored: text), "code challenge")
      },
      expiresAt: row.time(4), consumedAt: row.optionalTime(5), failures: row[6])
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ code: AuthorizationCodeRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO authorization_code (grant_id, fingerprint, redirect_uri, challenge, expires_at, consumed_at, failures)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        code.grant.rawValue, code.fingerprint, code.redirectURI, code.challenge?.value, code.expiresAt,
        code.consumedAt, code.failures,
      ])
  }

  public mutating func consumeAuthorizationCode(of grant: GrantID, at now: Timestamp) throws(StoreError) -> Bool {
    try self.change(
      """
      UPDATE authorization_code SET consumed_at = ? WHERE grant_id = ? AND consumed_at IS NULL
      AND (SELECT revoked_at FROM oauth_grant WHERE id = grant_id) IS NULL
      """,
      [now, grant.rawValue]) == 1
  }

  public mutating func countFailedRedemption(of grant: GrantID) throws(StoreError) -> Int {
    try self.row(
      "UPDATE authorization_code SET failures = failures + 1 WHERE grant_id = ? RETURNING failures", [grant.rawValue]
    ) { (row) throws(StoreError) in try row[0] } ?? 0
  }
}
