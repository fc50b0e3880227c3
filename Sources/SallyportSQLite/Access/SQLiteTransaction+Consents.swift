import SallyportProtocol
public import SallyportServer

private let consentColumns = "account_id, client_id, redirect_uri, resources, scope, given_at"

extension SQLiteAccess {
  public func consents(account: AccountID, client: ClientID, redirectURI: String) throws(StoreError) -> [ConsentRecord] {
    try self.rows(
      """
      SELECT \(consentColumns) FROM consent
      WHERE account_id = ? AND client_id = ? AND redirect_uri = ? ORDER BY resources
      """,
      [account.rawValue, client.rawValue, redirectURI], Self.consent)
  }

  public func consents(of account: AccountID) throws(StoreError) -> [ConsentRecord] {
    try self.rows(
      "SELECT \(consentColumns) FROM consent WHERE account_id = ? ORDER BY client_id, redirect_uri, resources",
      [account.rawValue], Self.consent)
  }

  private static func consent(_ row: ResultRow) throws(StoreError) -> ConsentRecord {
    try ConsentRecord(
      account: AccountID(rawValue: row[0]), client: ClientID(rawValue: row[1]), redirectURI: row[2], resources: row.words(3),
      scope: row.scope(4), givenAt: row.time(5))
  }
}

extension SQLiteTransaction {
  public mutating func remember(_ consent: ConsentRecord) throws(StoreError) {
    let earlierConsent = try self.consents(account: consent.account, client: consent.client, redirectURI: consent.redirectURI)
      .first { $0.resources == consent.resources }
    let scope = earlierConsent.map { Scope([$0.scope, consent.scope]) } ?? consent.scope
    try self.change(
      """
      INSERT INTO consent (account_id, client_id, redirect_uri, resources, scope, given_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET scope = excluded.scope, given_at = max(given_at, excluded.given_at)
      """,
      [
        consent.account.rawValue, consent.client.rawValue, consent.redirectURI, consent.resources.joined(separator: " "),
        scope.description, consent.givenAt,
      ])
  }

  public mutating func removeConsents(
    of account: AccountID, client: ClientID, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    try self.change(
      "DELETE FROM consent WHERE account_id = ? AND client_id = ?", [account.rawValue, client.rawValue])
  }
}
