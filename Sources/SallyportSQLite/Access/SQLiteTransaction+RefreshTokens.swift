import GRDB
public import SallyportProtocol
public import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

private let tokenByFingerprint = Granted<RefreshTokenRecord>.query(.refreshToken, where: "fingerprint = ?")

extension SQLiteAccess {
  public func refreshToken(_ fingerprint: Fingerprint) throws(StoreError) -> Granted<RefreshTokenRecord>? {
    try self.row(tokenByFingerprint, [fingerprint]) { (row) throws(StoreError) in
      try Self.granted(Self.refreshToken(row), row.after(Columns.refreshToken.count))
    }
  }

  private static func refreshToken(_ row: ResultRow) -> RefreshTokenRecord {
    RefreshTokenRecord(
      fingerprint: row.fingerprint(0), grant: GrantID(rawValue: row[1]), issuedAt: row.time(2), expiresAt: row.time(3),
      consumedAt: row.optionalTime(4), successor: row.optionalFingerprint(5), sealedSuccessor: row.optionalBytes(6),
      predecessor: row.optionalFingerprint(7))
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ token: RefreshTokenRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO refresh_token (fingerprint, grant_id, issued_at, expires_at, consumed_at, successor, sealed_successor,
        predecessor)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        token.fingerprint, token.grant.rawValue, token.issuedAt, token.expiresAt,
        token.consumedAt, token.successor, token.sealedSuccessor,
        token.predecessor,
      ])
  }

  public mutating func consumeRefreshToken(
    _ fingerprint: Fingerprint, successor: Fingerprint, sealedSuccessor: [UInt8], at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.change(
      """
      UPDATE refresh_token SET consumed_at = ?, successor = ?, sealed_successor = ? WHERE fingerprint = ? AND consumed_at IS NULL
      AND (SELECT revoked_at FROM oauth_grant WHERE id = grant_id) IS NULL
      """,
      [now, successor, sealedSuccessor, fingerprint]) == 1
  }

  public mutating func forgetSealedSuccessor(of fingerprint: Fingerprint) throws(StoreError) {
    try self.change(
      "UPDATE refresh_token SET sealed_successor = NULL WHERE fingerprint = ? AND sealed_successor IS NOT NULL",
      [fingerprint])
  }
}
