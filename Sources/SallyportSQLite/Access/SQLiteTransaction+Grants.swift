public import SallyportProtocol
public import SallyportServer

/// Finds grants, each with the time at which its last refresh token was issued.
private let grantUses = """
  SELECT \(Columns.grant.text),
    (SELECT issued_at FROM refresh_token WHERE grant_id = oauth_grant.id ORDER BY number DESC LIMIT 1)
  FROM oauth_grant
  """
private let grantByID = "SELECT \(Columns.grant.text) FROM oauth_grant WHERE id = ?"

extension SQLiteAccess {
  public func grant(_ id: GrantID) throws(StoreError) -> GrantRecord? {
    try self.row(grantByID, [id.rawValue], Self.grant)
  }

  public func grants(of account: AccountID, inSession sessionID: String) throws(StoreError) -> [GrantRecord] {
    try self.rows(
      "SELECT \(Columns.grant.text) FROM oauth_grant WHERE account_id = ? AND session_id = ? AND revoked_at IS NULL ORDER BY created_at, id",
      [account.rawValue, sessionID], Self.grant)
  }

  public func grants(of account: AccountID) throws(StoreError) -> [GrantUse] {
    try self.rows("\(grantUses) WHERE account_id = ? AND revoked_at IS NULL", [account.rawValue], Self.grantUse)
      .sorted { ($0.grant.createdAt, $0.grant.id.rawValue) < ($1.grant.createdAt, $1.grant.id.rawValue) }
  }

  public func grants(of client: ClientID?, after: GrantID?, limit: Int) throws(StoreError) -> [GrantUse] {
    guard let client else {
      return try self.rows(
        "\(grantUses) WHERE id > ? AND revoked_at IS NULL ORDER BY id LIMIT ?", [after?.rawValue ?? "", limit],
        Self.grantUse)
    }
    return try self.rows(
      "\(grantUses) WHERE client_id = ? AND id > ? AND revoked_at IS NULL ORDER BY id LIMIT ?",
      [client.rawValue, after?.rawValue ?? "", limit], Self.grantUse)
  }

  private static func grantUse(_ row: ResultRow) throws(StoreError) -> GrantUse {
    GrantUse(grant: try self.grant(row), lastRefreshAt: try row.optionalTime(Columns.grant.count))
  }

  /// Combines a credential with the grant and the account that follow it in the same result row.
  static func granted<Credential>(
    _ credential: Credential, _ row: ResultRow
  ) throws(StoreError) -> GrantedCredential<Credential> {
    GrantedCredential(credential, grant: try self.grant(row), account: try self.account(row.droppingFirst(Columns.grant.count)))
  }

  static func grant(_ row: ResultRow) throws(StoreError) -> GrantRecord {
    let reason: String? = try row[16]
    return try GrantRecord(
      id: GrantID(rawValue: row[0]), client: ClientID(rawValue: row[1]), account: AccountID(rawValue: row[2]),
      scope: row.scope(3), requestedScope: row.optionalScope(4), resources: row.words(5), nonce: row[6],
      jkt: row[7], sessionID: row[8], authenticationContext: row[9], authenticationMethods: row.words(10),
      requestedClaims: row[11], authenticatedAt: row.time(12), createdAt: row.time(13), expiresAt: row.time(14),
      revokedAt: row.optionalTime(15),
      revocationReason: reason == nil ? nil : unwrapStored(reason.flatMap(RevocationReason.init), "revocation reason"))
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ grant: GrantRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO oauth_grant (id, client_id, account_id, scope, requested_scope, resources, nonce, bound_key, session_id, acr, amr,
        claims, authenticated_at, created_at, expires_at, revoked_at, revocation_reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        grant.id.rawValue, grant.client.rawValue, grant.account.rawValue, grant.scope.description,
        grant.requestedScope?.description, grant.resources.joined(separator: " "), grant.nonce, grant.jkt, grant.sessionID,
        grant.authenticationContext, grant.authenticationMethods.joined(separator: " "), grant.requestedClaims,
        grant.authenticatedAt, grant.createdAt, grant.expiresAt,
        grant.revokedAt, grant.revocationReason?.rawValue,
      ])
  }

  public mutating func bindGrant(_ id: GrantID, to thumbprint: String) throws(StoreError) -> Bool {
    try self.change(
      "UPDATE oauth_grant SET bound_key = ?1 WHERE id = ?2 AND (bound_key IS NULL OR bound_key = ?1)", [thumbprint, id.rawValue])
      == 1
  }

  /// Marks the grant as revoked, and deletes the sealed successor: the encrypted next refresh token, which is kept in
  /// case the client loses the response. The code and the refresh tokens are not marked, because the statements that
  /// consume them check the grant. `recorded` only proves that this transaction contains the audit record of the
  /// revocation.
  @discardableResult
  public mutating func revokeGrant(
    _ id: GrantID, reason: RevocationReason, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    let changedRows = try self.change(
      "UPDATE oauth_grant SET revoked_at = ?, revocation_reason = ? WHERE id = ? AND revoked_at IS NULL",
      [now, reason.rawValue, id.rawValue])
    guard changedRows == 1 else { return false }
    try self.change(
      "UPDATE refresh_token SET sealed_successor = NULL WHERE grant_id = ? AND sealed_successor IS NOT NULL", [id.rawValue])
    return true
  }

  public mutating func revokeGrants(
    of account: AccountID, reason: RevocationReason, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    let grants = try self.rows(
      "SELECT id FROM oauth_grant WHERE account_id = ? AND revoked_at IS NULL", [account.rawValue]
    ) { (row) throws(StoreError) in GrantID(rawValue: try row[0]) }
    for grant in grants {
      try self.revokeGrant(grant, reason: reason, at: now, recorded)
    }
  }
}

extension GrantedCredential {
  /// A query that finds a credential together with its grant and account, for ``SQLiteAccess/granted(_:_:)``.
  static func query(_ columns: Columns, where condition: String) -> String {
    """
    SELECT \(columns.text), \(Columns.grant.text), \(Columns.account.text) FROM \(columns.table)
      JOIN oauth_grant ON oauth_grant.id = grant_id JOIN account ON account.id = account_id
    WHERE \(condition)
    """
  }
}
