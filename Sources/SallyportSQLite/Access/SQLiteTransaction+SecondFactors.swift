public import SallyportProtocol
public import SallyportServer

extension SQLiteAccess {
  public func totp(of account: AccountID) throws(StoreError) -> TOTPRecord? {
    try self.row("SELECT \(Columns.totp.text) FROM totp WHERE account_id = ?", [account.rawValue]) { (row) throws(StoreError) in
      try TOTPRecord(
        account: AccountID(rawValue: row[0]), sealedSecret: row.bytes(1), lastStep: row[2], createdAt: row.time(3),
        lastUsedAt: row.optionalTime(4))
    }
  }

  public func recoveryCodes(of account: AccountID) throws(StoreError) -> [RecoveryCodeRecord] {
    try self.rows(
      "SELECT \(Columns.recoveryCode.text) FROM recovery_code WHERE account_id = ? ORDER BY fingerprint", [account.rawValue]
    ) { (row) throws(StoreError) in
      try RecoveryCodeRecord(
        account: AccountID(rawValue: row[0]), fingerprint: row.fingerprint(1), createdAt: row.time(2),
        usedAt: row.optionalTime(3))
    }
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ totp: TOTPRecord) throws(StoreError) {
    try self.change(
      "INSERT INTO totp (account_id, sealed_secret, last_step, created_at, last_used_at) VALUES (?, ?, ?, ?, ?)",
      [totp.account.rawValue, totp.sealedSecret, totp.lastStep, totp.createdAt, totp.lastUsedAt])
  }

  public mutating func useTOTP(of account: AccountID, step: Int64, at now: Timestamp) throws(StoreError) -> Bool {
    try self.change(
      "UPDATE totp SET last_step = ?1, last_used_at = ?2 WHERE account_id = ?3 AND last_step < ?1",
      [step, now, account.rawValue]) == 1
  }

  // `recorded` is not stored: it only proves that this transaction contains the audit record of the change.
  public mutating func removeTOTP(of account: AccountID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool {
    try self.change("DELETE FROM totp WHERE account_id = ?", [account.rawValue]) == 1
  }

  public mutating func replaceRecoveryCodes(
    of account: AccountID, with fingerprints: [Fingerprint], at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    try self.change("DELETE FROM recovery_code WHERE account_id = ?", [account.rawValue])
    for fingerprint in fingerprints {
      try self.change(
        "INSERT INTO recovery_code (account_id, fingerprint, created_at) VALUES (?, ?, ?)",
        [account.rawValue, fingerprint, now])
    }
  }

  public mutating func useRecoveryCode(
    _ fingerprint: Fingerprint, of account: AccountID, at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.change(
      "UPDATE recovery_code SET used_at = ? WHERE account_id = ? AND fingerprint = ? AND used_at IS NULL",
      [now, account.rawValue, fingerprint]) == 1
  }
}
