import SallyportProtocol
import SallyportServer

private let tokenOfGrant = GrantedCredential<RefreshTokenRecord>.query(
  .refreshToken, where: "grant_id = $1 AND number = $2 AND fingerprint = $3")
/// Finds a token that an older version of the server issued. The text of such a token contains no number, so the row of
/// the token has a number of zero or less.
private let unnumberedToken = GrantedCredential<RefreshTokenRecord>.query(
  .refreshToken, where: "fingerprint = $1 AND number <= 0")

extension PostgresAccess {
  func refreshToken(
    _ fingerprint: Fingerprint, _ id: RefreshTokenID?
  ) throws(StoreError) -> GrantedCredential<RefreshTokenRecord>? {
    guard let id else { return try self.row(unnumberedToken, [fingerprint], Self.tokenWithGrant) }
    return try self.row(tokenOfGrant, [id.grant.rawValue, id.number, fingerprint], Self.tokenWithGrant)
  }

  private static func tokenWithGrant(_ row: ResultRow) throws(StoreError) -> GrantedCredential<RefreshTokenRecord> {
    try self.granted(
      RefreshTokenRecord(
        id: RefreshTokenID(grant: GrantID(rawValue: row[0]), number: row[1]), fingerprint: row.fingerprint(2),
        issuedAt: row.time(3), expiresAt: row.time(4), consumedAt: row.optionalTime(5), sealedSuccessor: row.optionalBytes(6)),
      row.droppingFirst(Columns.refreshToken.count))
  }
}

extension PostgresTransaction {
  mutating func insert(_ token: RefreshTokenRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO refresh_token (grant_id, number, fingerprint, issued_at, expires_at, consumed_at, sealed_successor)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        token.id.grant.rawValue, token.id.number, token.fingerprint, token.issuedAt, token.expiresAt, token.consumedAt,
        token.sealedSuccessor,
      ])
  }

  mutating func consumeRefreshToken(
    _ id: RefreshTokenID, sealedSuccessor: [UInt8], at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.expectChange(
      """
      UPDATE refresh_token SET consumed_at = $1, sealed_successor = $2 WHERE grant_id = $3 AND number = $4 AND consumed_at IS NULL
      AND (SELECT revoked_at FROM oauth_grant WHERE id = grant_id) IS NULL
      """,
      [now, sealedSuccessor, id.grant.rawValue, id.number])
  }

  mutating func forgetSealedSuccessor(of id: RefreshTokenID) throws(StoreError) {
    try self.queue(
      "UPDATE refresh_token SET sealed_successor = NULL WHERE grant_id = $1 AND number = $2 AND sealed_successor IS NOT NULL",
      [id.grant.rawValue, id.number])
  }
}
