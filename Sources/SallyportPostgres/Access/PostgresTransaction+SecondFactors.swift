import SallyportProtocol
import SallyportServer

extension PostgresAccess {
  func totp(of account: AccountID) throws(StoreError) -> TOTPRecord? {
    try self.row("SELECT \(Columns.totp.text) FROM totp WHERE account_id = $1", [account.rawValue]) { (row) throws(StoreError) in
      try TOTPRecord(
        account: AccountID(rawValue: row[0]), sealedSecret: row.bytes(1), lastStep: row[2], createdAt: row.time(3),
        lastUsedAt: row.optionalTime(4))
    }
  }

  func recoveryCodes(of account: AccountID) throws(StoreError) -> [RecoveryCodeRecord] {
    try self.rows(
      "SELECT \(Columns.recoveryCode.text) FROM recovery_code WHERE account_id = $1 ORDER BY fingerprint", [account.rawValue]
    ) { (row) throws(StoreError) in
      try RecoveryCodeRecord(
        account: AccountID(rawValue: row[0]), fingerprint: row.fingerprint(1), createdAt: row.time(2),
        usedAt: row.optionalTime(3))
    }
  }
}

// A `Recorded` parameter is not read. It proves that the transaction contains the audit record of the change.
extension PostgresTransaction {
  mutating func insert(_ totp: TOTPRecord) throws(StoreError) {
    try self.queue(
      "INSERT INTO totp (account_id, sealed_secret, last_step, created_at, last_used_at) VALUES ($1, $2, $3, $4, $5)",
      [totp.account.rawValue, totp.sealedSecret, totp.lastStep, totp.createdAt, totp.lastUsedAt])
  }

  mutating func useTOTP(of account: AccountID, step: Int64, at now: Timestamp) throws(StoreError) -> Bool {
    try self.expectChange(
      "UPDATE totp SET last_step = $1, last_used_at = $2 WHERE account_id = $3 AND last_step < $1",
      [step, now, account.rawValue])
  }

  mutating func removeTOTP(of account: AccountID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool {
    try self.expectChange("DELETE FROM totp WHERE account_id = $1", [account.rawValue])
  }

  mutating func replaceRecoveryCodes(
    of account: AccountID, with fingerprints: [Fingerprint], at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    try self.queue("DELETE FROM recovery_code WHERE account_id = $1", [account.rawValue])
    for fingerprint in fingerprints {
      try self.queue(
        "INSERT INTO recovery_code (account_id, fingerprint, created_at) VALUES ($1, $2, $3)",
        [account.rawValue, fingerprint, now])
    }
  }

  mutating func useRecoveryCode(
    _ fingerprint: Fingerprint, of account: AccountID, at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.expectChange(
      "UPDATE recovery_code SET used_at = $1 WHERE account_id = $2 AND fingerprint = $3 AND used_at IS NULL",
      [now, account.rawValue, fingerprint])
  }
}
