import SallyportProtocol
public import SallyportServer

private let sessionWithConsents = """
  SELECT \(Columns.browserSession.text), \(Columns.account.text), \(Columns.consent.text)
  FROM browser_session JOIN account ON account.id = browser_session.account_id
    LEFT JOIN consent ON consent.account_id = account.id AND consent.client_id = ? AND consent.redirect_uri = ?
  WHERE browser_session.fingerprint = ? ORDER BY consent.resources
  """

extension SQLiteAccess {
  public func consents(account: AccountID, client: ClientID, redirectURI: String) throws(StoreError) -> [ConsentRecord] {
    try self.rows(
      """
      SELECT \(Columns.consent.text) FROM consent
      WHERE account_id = ? AND client_id = ? AND redirect_uri = ? ORDER BY resources
      """,
      [account.rawValue, client.rawValue, redirectURI], Self.consent)
  }

  public func consents(of account: AccountID) throws(StoreError) -> [ConsentRecord] {
    try self.rows(
      "SELECT \(Columns.consent.text) FROM consent WHERE account_id = ? ORDER BY client_id, redirect_uri, resources",
      [account.rawValue], Self.consent)
  }

  public func browserSession(
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
      // If there is no consent, the join returns one row in which the consent's columns are NULL.
      let consentAccount: String? = try consentColumns[0]
      return consentAccount == nil ? nil : try Self.consent(consentColumns)
    }
    return found.map { ($0.session, $0.account, consents.compactMap(\.self)) }
  }

  private static func consent(_ row: ResultRow) throws(StoreError) -> ConsentRecord {
    try ConsentRecord(
      account: AccountID(rawValue: row[0]), client: ClientID(rawValue: row[1]), redirectURI: row[2], resources: row.words(3),
      scope: row.scope(4), givenAt: row.time(5))
  }
}

extension SQLiteTransaction {
  public mutating func confirm(_ consent: ConsentRecord) throws(StoreError) -> Bool {
    try self.row(
      """
      SELECT 1 FROM consent
      WHERE account_id = ? AND client_id = ? AND redirect_uri = ? AND resources = ? AND scope = ? AND given_at = ?
      """,
      [
        consent.account.rawValue, consent.client.rawValue, consent.redirectURI, consent.resources.joined(separator: " "),
        consent.scope.description, consent.givenAt,
      ]
    ) { _ in true } ?? false
  }

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

  // `recorded` is not stored: it only proves that this transaction contains the audit record of the change.
  public mutating func removeConsents(
    of account: AccountID, client: ClientID, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    try self.change(
      "DELETE FROM consent WHERE account_id = ? AND client_id = ?", [account.rawValue, client.rawValue])
  }
}
