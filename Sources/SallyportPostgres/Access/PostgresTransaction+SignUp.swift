import SallyportProtocol
import SallyportServer

extension PostgresAccess {
  func signUp(_ fingerprint: Fingerprint) throws(StoreError) -> SignUpRecord? {
    try self.row("SELECT \(Columns.signUp.text) FROM sign_up WHERE fingerprint = $1", [fingerprint]) {
      (row) throws(StoreError) in
      try SignUpRecord(
        fingerprint: row.fingerprint(0), kind: unwrapStored(SignUpRecord.Kind(rawValue: row[1]), "kind of a link for sign-up"),
        email: row[2], createdAt: row.time(3), expiresAt: row.time(4), consumedAt: row.optionalTime(5))
    }
  }
}

extension PostgresTransaction {
  mutating func insert(_ signUp: SignUpRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO sign_up (fingerprint, kind, email, created_at, expires_at, consumed_at)
      VALUES ($1, $2, $3, $4, $5, $6)
      """,
      [signUp.fingerprint, signUp.kind.rawValue, signUp.email, signUp.createdAt, signUp.expiresAt, signUp.consumedAt])
  }

  mutating func consumeSignUp(
    _ fingerprint: Fingerprint, at now: Timestamp, keepingUntil end: Timestamp
  ) throws(StoreError) -> Bool {
    try self.expectChange(
      """
      UPDATE sign_up SET consumed_at = $1, expires_at = greatest(expires_at, $3)
      WHERE fingerprint = $2 AND consumed_at IS NULL AND expires_at > $1
      """,
      [now, fingerprint, end])
  }

  mutating func removeSignUp(_ fingerprint: Fingerprint) throws(StoreError) -> Bool {
    try self.expectChange("DELETE FROM sign_up WHERE fingerprint = $1", [fingerprint])
  }
}
