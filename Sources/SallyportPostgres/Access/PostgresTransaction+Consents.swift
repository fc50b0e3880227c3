import SallyportProtocol
import SallyportServer

private let consentColumns = "account_id, client_id, redirect_uri, resources, scope, given_at"

extension PostgresAccess {
  func consents(account: AccountID, client: ClientID, redirectURI: String) throws(StoreError) -> [ConsentRecord] {
    try self.rows(
      """
      SELECT \(consentColumns) FROM consent
      WHERE account_id = $1 AND client_id = $2 AND redirect_uri = $3 ORDER BY resources
      """,
      [account.rawValue, client.rawValue, redirectURI], Self.consent)
  }

  func consents(of account: AccountID) throws(StoreError) -> [ConsentRecord] {
    try self.rows(
      "SELECT \(consentColumns) FROM consent WHERE account_id = $1 ORDER BY client_id, redirect_uri, resources",
      [account.rawValue], Self.consent)
  }

  private static func consent(_ row: ResultRow) throws(StoreError) -> ConsentRecord {
    try ConsentRecord(
      account: AccountID(rawValue: row[0]), client: ClientID(rawValue: row[1]), redirectURI: row[2], resources: row.words(3),
      scope: row.scope(4), givenAt: row.time(5))
  }
}

extension PostgresTransaction {
  mutating func remember(_ consent: ConsentRecord) throws(StoreError) {
    let earlierConsent = try self.consents(account: consent.account, client: consent.client, redirectURI: consent.redirectURI)
      .first { $0.resources == consent.resources }
    let scope = earlierConsent.map { Scope([$0.scope, consent.scope]) } ?? consent.scope
    try self.queue(
      """
      INSERT INTO consent (account_id, client_id, redirect_uri, resources, scope, given_at) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (account_id, client_id, redirect_uri, resources)
        DO UPDATE SET scope = excluded.scope, given_at = greatest(consent.given_at, excluded.given_at)
      """,
      [
        consent.account.rawValue, consent.client.rawValue, consent.redirectURI, consent.resources.joined(separator: " "),
        scope.description, consent.givenAt,
      ])
  }

  mutating func removeConsents(
    of account: AccountID, client: ClientID, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    try self.queue(
      "DELETE FROM consent WHERE account_id = $1 AND client_id = $2", [account.rawValue, client.rawValue])
  }
}
