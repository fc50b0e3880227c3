import SallyportProtocol
import SallyportServer

private let accountByID = "SELECT \(Columns.account.text) FROM account WHERE id = $1"
private let resourceOwnerOfGrant = """
  SELECT \(Columns.account.text), oauth_grant.claims FROM oauth_grant JOIN account ON account.id = account_id
  WHERE oauth_grant.id = $1 AND revoked_at IS NULL AND expires_at > $2 AND disabled_at IS NULL
  """

extension PostgresAccess {
  func account(_ id: AccountID) throws(StoreError) -> AccountRecord? {
    try self.row(accountByID, [id.rawValue], Self.account)
  }

  func resourceOwner(of grant: GrantID, at now: Timestamp) throws(StoreError) -> ResourceOwner? {
    try self.row(resourceOwnerOfGrant, [grant.rawValue, now]) { (row) throws(StoreError) in
      try ResourceOwner(account: Self.account(row), requestedClaims: row[Columns.account.count])
    }
  }

  func account(named username: Username) throws(StoreError) -> AccountRecord? {
    try self.row("SELECT \(Columns.account.text) FROM account WHERE username = $1", [username.value], Self.account)
  }

  func accounts(after: Username?, limit: Int) throws(StoreError) -> [AccountRecord] {
    try self.rows(
      "SELECT \(Columns.account.text) FROM account WHERE username > $1 ORDER BY username LIMIT $2", [after?.value ?? "", limit],
      Self.account)
  }

  func accounts(withVerifiedEmail email: String, limit: Int) throws(StoreError) -> [AccountRecord] {
    try self.rows(
      """
      SELECT \(Columns.account.text) FROM account WHERE lower(email) = $1 AND email_verified_at IS NOT NULL
      ORDER BY created_at, id LIMIT $2
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

// A `Recorded` parameter is not read. It proves that the transaction contains the audit record of the change.
extension PostgresTransaction {
  mutating func insert(_ account: AccountRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO account (id, username, password_hash, password_changed_at, name, email, created_at, disabled_at,
        email_verified_at, language)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      """,
      [
        account.id.rawValue, account.username.value, account.passwordHash, account.passwordChangedAt, account.name,
        account.email, account.createdAt, account.disabledAt, account.emailVerifiedAt,
        account.language,
      ])
  }

  mutating func setPasswordHash(
    _ hash: String, of account: AccountID, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    try self.expectChange(
      "UPDATE account SET password_hash = $1, password_changed_at = $2 WHERE id = $3", [hash, now, account.rawValue])
  }

  mutating func renewPasswordHash(_ old: String, by new: String, of account: AccountID) throws(StoreError) -> Bool {
    try self.expectChange(
      "UPDATE account SET password_hash = $1 WHERE id = $2 AND password_hash = $3", [new, account.rawValue, old])
  }

  mutating func setDisabled(
    _ at: Timestamp?, account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    try self.expectChange("UPDATE account SET disabled_at = $1 WHERE id = $2", [at, account.rawValue])
  }

  mutating func setProfile(
    name: String?, email: String?, emailVerifiedAt: Timestamp?, of account: AccountID
  ) throws(StoreError) -> Bool {
    try self.expectChange(
      "UPDATE account SET name = $1, email = $2, email_verified_at = $3 WHERE id = $4",
      [name, email, emailVerifiedAt, account.rawValue])
  }

  mutating func setLanguage(_ language: String?, of account: AccountID) throws(StoreError) -> Bool {
    try self.expectChange("UPDATE account SET language = $1 WHERE id = $2", [language, account.rawValue])
  }

  mutating func removeAccount(_ id: AccountID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool {
    try self.expectChange("DELETE FROM account WHERE id = $1", [id.rawValue])
  }
}
