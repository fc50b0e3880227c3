public import SallyportProtocol
public import SallyportServer

extension SQLiteAccess {
  public func passkey(_ id: [UInt8]) throws(StoreError) -> PasskeyRecord? {
    try self.row("SELECT \(Columns.passkey.text) FROM passkey WHERE id = ?", [id], Self.passkey)
  }

  public func passkeys(of account: AccountID) throws(StoreError) -> [PasskeyRecord] {
    try self.rows(
      "SELECT \(Columns.passkey.text) FROM passkey WHERE account_id = ? ORDER BY created_at, id", [account.rawValue],
      Self.passkey)
  }

  private static func passkey(_ row: ResultRow) throws(StoreError) -> PasskeyRecord {
    try PasskeyRecord(
      id: row.bytes(0), account: AccountID(rawValue: row[1]), relyingPartyID: row[2], publicKey: row.bytes(3),
      aaguid: row.bytes(4), isAttested: row[5], signatureCount: row[6], transports: row.words(7), isBackupEligible: row[8],
      isBackedUp: row[9], name: row[10], createdAt: row.time(11), lastUsedAt: row.optionalTime(12))
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ passkey: PasskeyRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO passkey (id, account_id, rp_id, public_key, aaguid, is_attested, signature_count, transports,
        is_backup_eligible, is_backed_up, name, created_at, last_used_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        passkey.id, passkey.account.rawValue, passkey.relyingPartyID, passkey.publicKey, passkey.aaguid, passkey.isAttested,
        passkey.signatureCount, passkey.transports.joined(separator: " "), passkey.isBackupEligible, passkey.isBackedUp,
        passkey.name, passkey.createdAt, passkey.lastUsedAt,
      ])
  }

  public mutating func usePasskey(
    _ id: [UInt8], signatureCount: Int64, isBackupEligible: Bool, isBackedUp: Bool, at now: Timestamp
  ) throws(StoreError) -> Bool {
    // The counter must increase, except for an authenticator without a counter, which always reports 0, and for a
    // passkey that can be synchronized, because each device may have its own counter.
    try self.change(
      """
      UPDATE passkey SET signature_count = max(signature_count, ?1), is_backup_eligible = ?2, is_backed_up = ?3,
        last_used_at = ?4
      WHERE id = ?5 AND (is_backup_eligible OR signature_count < ?1 OR (signature_count = 0 AND ?1 = 0))
      """,
      [signatureCount, isBackupEligible, isBackedUp, now, id]) == 1
  }

  public mutating func renamePasskey(_ id: [UInt8], of account: AccountID, to name: String) throws(StoreError) -> Bool {
    try self.change(
      "UPDATE passkey SET name = ? WHERE id = ? AND account_id = ?", [name, id, account.rawValue]) == 1
  }

  // `recorded` is not stored: it only proves that this transaction contains the audit record of the change.
  public mutating func removePasskey(
    _ id: [UInt8], of account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    try self.change("DELETE FROM passkey WHERE id = ? AND account_id = ?", [id, account.rawValue]) == 1
  }
}
