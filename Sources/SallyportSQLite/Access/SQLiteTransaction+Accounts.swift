public import SallyportProtocol
public import SallyportServer

private let accountByID = "SELECT \(Columns.account.text) FROM account WHERE id = ?"
private let resourceOwnerOfGrant = """
  SELECT \(Columns.account.text), oauth_grant.claims FROM oauth_grant JOIN account ON account.id = account_id
  WHERE oauth_grant.id = ? AND revoked_at IS NULL AND expires_at > ? AND disabled_at IS NULL
  """

extension SQLiteAccess {
  public func account(_ id: AccountID) throws(StoreError) -> AccountRecord? {
    try self.row(accountByID, [id.rawValue], Self.account)
  }

  public func resourceOwner(of grant: GrantID, at now: Timestamp) throws(StoreError) -> ResourceOwner? {
    try self.row(resourceOwnerOfGrant, [grant.rawValue, now]) { (row) throws(StoreError) in
      try ResourceOwner(account: Self.account(row), requestedClaims: row[Columns.account.count])
    }
  }

  public func account(named username: Username) throws(StoreError) -> AccountRecord? {
    try self.row("SELECT \(Columns.account.text) FROM account WHERE username = ?", [username.value], Self.account)
  }

  public func accounts(after: Username?, limit: Int) throws(StoreError) -> [AccountRecord] {
    try self.rows(
      "SELECT \(Columns.account.text) FROM account WHERE username > ? ORDER BY username LIMIT ?", [after?.value ?? "", limit],
      Self.account)
  }

  public func accounts(withVerifiedEmail email: String, limit: Int) throws(StoreError) -> [AccountRecord] {
    try self.rows(
      """
      SELECT \(Columns.account.text) FROM account WHERE lower(email) = ? AND email_verified_at IS NOT NULL
      ORDER BY created_at, id LIMIT ?
      """, [email.lowercased(), limit], Self.account)
  }

  /// Reads an account from a row whose values are in the order of `Columns.account`.
  static func account(_ row: ResultRow) throws(StoreError) -> AccountRecord {
    var account = try AccountRecord(
      id: AccountID(rawValue: row[0]), username: unwrapStored(Username(row[1] as String), "user name"), passwordHash: row[2],
      passwordChangedAt: row.time(3), name: row[4], email: row[5], emailVerifiedAt: row.optionalTime(8),
      createdAt: row.time(6), disabledAt: row.optionalTime(7))
    account.language = try row[9]
    return account
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ account: AccountRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO account (id, username, password_hash, password_changed_at, name, email, created_at, disabled_at,
        email_verified_at, language)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        account.id.rawValue, account.username.value, account.passwordHash, account.passwordChangedAt, account.name,
        account.email, account.createdAt, account.disabledAt, account.emailVerifiedAt,
        account.language,
      ])
  }

  // `recorded` is not stored: it only proves that this transaction contains the audit record of the change.
  public mutating func setPasswordHash(
    _ hash: String, of account: AccountID, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    try self.change(
      "UPDATE account SET password_hash = ?, password_changed_at = ? WHERE id = ?", [hash, now, account.rawValue])
      == 1
  }

  public mutating func renewPasswordHash(_ old: String, by new: String, of account: AccountID) throws(StoreError) -> Bool {
    try self.change(
      "UPDATE account SET password_hash = ? WHERE id = ? AND password_hash = ?", [new, account.rawValue, old]) == 1
  }

  public mutating func setDisabled(
    _ at: Timestamp?, account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    try self.change("UPDATE account SET disabled_at = ? WHERE id = ?", [at, account.rawValue]) == 1
  }

  public mutating func setProfile(
    name: String?, email: String?, emailVerifiedAt: Timestamp?, of account: AccountID
  ) throws(StoreError) -> Bool {
    try self.change(
      "UPDATE account SET name = ?, email = ?, email_verified_at = ? WHERE id = ?",
      [name, email, emailVerifiedAt, account.rawValue]) == 1
  }

  public mutating func setLanguage(_ language: String?, of account: AccountID) throws(StoreError) -> Bool {
    try self.change("UPDATE account SET language = ? WHERE id = ?", [language, account.rawValue]) == 1
  }

  public mutating func removeAccount(_ id: AccountID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool {
    try self.change("DELETE FROM account WHERE id = ?", [id.rawValue]) == 1
  }
}
