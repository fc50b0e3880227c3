import SallyportProtocol
import SallyportServer

private let sessionWithConsents = """
  SELECT \(Columns.browserSession.text), \(Columns.account.text), \(Columns.consent.text)
  FROM browser_session JOIN account ON account.id = browser_session.account_id
    LEFT JOIN consent ON consent.account_id = account.id AND consent.client_id = $1 AND consent.redirect_uri = $2
  WHERE browser_session.fingerprint = $3 ORDER BY consent.resources
  """

extension PostgresAccess {
  func consents(account: AccountID, client: ClientID, redirectURI: String) throws(StoreError) -> [ConsentRecord] {
    try self.rows(
      """
      SELECT \(Columns.consent.text) FROM consent
      WHERE account_id = $1 AND client_id = $2 AND redirect_uri = $3 ORDER BY resources
      """,
      [account.rawValue, client.rawValue, redirectURI], Self.consent)
  }

  func consents(of account: AccountID) throws(StoreError) -> [ConsentRecord] {
    try self.rows(
      "SELECT \(Columns.consent.text) FROM consent WHERE account_id = $1 ORDER BY client_id, redirect_uri, resources",
      [account.rawValue], Self.consent)
  }

  func browserSession(
    _ fingerprint: Fingerprint, withConsentsFor client: ClientID, redirectURI: String
  ) throws(StoreError) -> (session: BrowserSessionRecord, account: AccountRecord, consents: [ConsentRecord])? {
    var found: (session: BrowserSessionRecord, account: AccountRecord)?
    let consents = try self.rows(
      sessionWithConsents, [client.rawValue, redirectURI, fingerprint]
    ) { (row) throws(StoreError) -> ConsentRecord? in
      let accountColumns = row.droppingFirst(Columns.browserSession.count)
      // Each row repeats the session and the account.
      if found == nil { found = try (Self.browserSession(row), Self.account(accountColumns)) }
      let consentColumns = accountColumns.droppingFirst(Columns.account.count)
      // If there is no consent, the left join returns one row, in which the columns of the consent are NULL.
      let id: String? = try consentColumns[0]
      return id == nil ? nil : try Self.consent(consentColumns)
    }
    return found.map { ($0.session, $0.account, consents.compactMap(\.self)) }
  }

  private static func consent(_ row: ResultRow) throws(StoreError) -> ConsentRecord {
    try ConsentRecord(
      account: AccountID(rawValue: row[0]), client: ClientID(rawValue: row[1]), redirectURI: row[2], resources: row.words(3),
      scope: row.scope(4), givenAt: row.time(5))
  }
}

extension PostgresTransaction {
  mutating func confirm(_ consent: ConsentRecord) throws(StoreError) -> Bool {
    try self.expectRow(
      """
      SELECT 1 FROM consent
      WHERE account_id = $1 AND client_id = $2 AND redirect_uri = $3 AND resources = $4 AND scope = $5 AND given_at = $6
      """,
      [
        consent.account.rawValue, consent.client.rawValue, consent.redirectURI, consent.resources.joined(separator: " "),
        consent.scope.description, consent.givenAt,
      ])
  }

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

  /// - Parameter recorded: Proof that the removal is in the audit trail.
  mutating func removeConsents(
    of account: AccountID, client: ClientID, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    try self.queue(
      "DELETE FROM consent WHERE account_id = $1 AND client_id = $2", [account.rawValue, client.rawValue])
  }
}
