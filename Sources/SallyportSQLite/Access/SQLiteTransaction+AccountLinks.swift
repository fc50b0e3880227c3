public import SallyportProtocol
public import SallyportServer

extension SQLiteAccess {
  public func accountLink(_ fingerprint: Fingerprint) throws(StoreError) -> AccountLinkRecord? {
    try self.row("SELECT \(Columns.accountLink.text) FROM account_link WHERE fingerprint = ?", [fingerprint]) {
      (row) throws(StoreError) in
      try AccountLinkRecord(
        fingerprint: row.fingerprint(0),
        purpose: unwrapStored(AccountLinkRecord.Purpose(rawValue: row[1]), "purpose of a link"),
        account: AccountID(rawValue: row[2]), email: row[3], createdAt: row.time(4), expiresAt: row.time(5),
        consumedAt: row.optionalTime(6))
    }
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ link: AccountLinkRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO account_link (fingerprint, purpose, account_id, email, created_at, expires_at, consumed_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        link.fingerprint, link.purpose.rawValue, link.account.rawValue, link.email, link.createdAt, link.expiresAt,
        link.consumedAt,
      ])
  }

  public mutating func consumeAccountLink(
    _ fingerprint: Fingerprint, at now: Timestamp, keepingUntil end: Timestamp
  ) throws(StoreError) -> Bool {
    try self.change(
      """
      UPDATE account_link SET consumed_at = ?1, expires_at = max(expires_at, ?3)
      WHERE fingerprint = ?2 AND consumed_at IS NULL AND expires_at > ?1
      """,
      [now, fingerprint, end]) == 1
  }

  public mutating func removeAccountLinks(
    of account: AccountID, for purpose: AccountLinkRecord.Purpose?, onlyUnusedMail: Bool
  ) throws(StoreError) {
    // If `purpose` is nil, `coalesce` compares the column with itself, so links for every purpose are deleted.
    try self.change(
      """
      DELETE FROM account_link
      WHERE account_id = ?1 AND purpose = coalesce(?2, purpose) AND (NOT ?3 OR (email IS NOT NULL AND consumed_at IS NULL))
      """,
      [account.rawValue, purpose?.rawValue, onlyUnusedMail])
  }
}
