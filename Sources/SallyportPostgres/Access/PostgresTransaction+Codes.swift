import SallyportProtocol
import SallyportServer

private let codeOfGrant = GrantedCredential<AuthorizationCodeRecord>.query(
  .authorizationCode, where: "grant_id = $1 AND fingerprint = $2")

extension PostgresAccess {
  func authorizationCode(
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

extension PostgresTransaction {
  mutating func insert(_ code: AuthorizationCodeRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO authorization_code (grant_id, fingerprint, redirect_uri, challenge, expires_at, consumed_at, failures)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        code.grant.rawValue, code.fingerprint, code.redirectURI, code.challenge?.value, code.expiresAt,
        code.consumedAt, code.failures,
      ])
  }

  mutating func consumeAuthorizationCode(of grant: GrantID, at now: Timestamp) throws(StoreError) -> Bool {
    try self.expectChange(
      """
      UPDATE authorization_code SET consumed_at = $1 WHERE grant_id = $2 AND consumed_at IS NULL
      AND (SELECT revoked_at FROM oauth_grant WHERE id = grant_id) IS NULL
      """,
      [now, grant.rawValue])
  }

  mutating func countFailedRedemption(of grant: GrantID) throws(StoreError) -> Int {
    try self.returning(
      "UPDATE authorization_code SET failures = failures + 1 WHERE grant_id = $1 RETURNING failures", [grant.rawValue]
    ) { (row) throws(StoreError) in try row[0] }.first ?? 0
  }
}
