import SallyportProtocol
import SallyportServer

/// Finds grants, each with the time at which its last refresh token was issued.
private let grantUses = """
  SELECT \(Columns.grant.text),
    (SELECT issued_at FROM refresh_token WHERE grant_id = oauth_grant.id ORDER BY number DESC LIMIT 1)
  FROM oauth_grant
  """
private let grantByID = "SELECT \(Columns.grant.text) FROM oauth_grant WHERE id = $1"

extension PostgresAccess {
  func grant(_ id: GrantID) throws(StoreError) -> GrantRecord? {
    try self.row(grantByID, [id.rawValue], Self.grant)
  }

  func grants(of account: AccountID, inSession sessionID: String) throws(StoreError) -> [GrantRecord] {
    try self.rows(
      "SELECT \(Columns.grant.text) FROM oauth_grant WHERE account_id = $1 AND session_id = $2 AND revoked_at IS NULL ORDER BY created_at, id",
      [account.rawValue, sessionID], Self.grant)
  }

  func grants(of account: AccountID) throws(StoreError) -> [GrantUse] {
    try self.rows("\(grantUses) WHERE account_id = $1 AND revoked_at IS NULL", [account.rawValue], Self.grantUse)
      .sorted { ($0.grant.createdAt, $0.grant.id.rawValue) < ($1.grant.createdAt, $1.grant.id.rawValue) }
  }

  func grants(of client: ClientID?, after: GrantID?, limit: Int) throws(StoreError) -> [GrantUse] {
    guard let client else {
      return try self.rows(
        "\(grantUses) WHERE id > $1 AND revoked_at IS NULL ORDER BY id LIMIT $2", [after?.rawValue ?? "", limit],
        Self.grantUse)
    }
    return try self.rows(
      "\(grantUses) WHERE client_id = $1 AND id > $2 AND revoked_at IS NULL ORDER BY id LIMIT $3",
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

extension PostgresTransaction {
  mutating func insert(_ grant: GrantRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO oauth_grant (id, client_id, account_id, scope, requested_scope, resources, nonce, bound_key, session_id, acr, amr,
        claims, authenticated_at, created_at, expires_at, revoked_at, revocation_reason)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
      """,
      [
        grant.id.rawValue, grant.client.rawValue, grant.account.rawValue, grant.scope.description,
        grant.requestedScope?.description, grant.resources.joined(separator: " "), grant.nonce, grant.jkt, grant.sessionID,
        grant.authenticationContext, grant.authenticationMethods.joined(separator: " "), grant.requestedClaims,
        grant.authenticatedAt, grant.createdAt, grant.expiresAt,
        grant.revokedAt, grant.revocationReason?.rawValue,
      ])
  }

  mutating func bindGrant(_ id: GrantID, to thumbprint: String) throws(StoreError) -> Bool {
    try self.expectChange(
      "UPDATE oauth_grant SET bound_key = $1 WHERE id = $2 AND (bound_key IS NULL OR bound_key = $1)", [thumbprint, id.rawValue])
  }

  /// The grant's code and refresh tokens need no change, because the statements that consume them check the grant. Only
  /// the sealed successor is deleted, which is the stored next refresh token for clients that lost the response.
  /// `recorded` only proves that this transaction contains the audit record of the revocation.
  @discardableResult
  mutating func revokeGrant(
    _ id: GrantID, reason: RevocationReason, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    let isNew = try self.expectChange(
      "UPDATE oauth_grant SET revoked_at = $1, revocation_reason = $2 WHERE id = $3 AND revoked_at IS NULL",
      [now, reason.rawValue, id.rawValue])
    guard isNew else { return false }
    try self.queue(
      "UPDATE refresh_token SET sealed_successor = NULL WHERE grant_id = $1 AND sealed_successor IS NOT NULL", [id.rawValue])
    return true
  }

  mutating func revokeGrants(
    of account: AccountID, reason: RevocationReason, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    try self.queue(
      """
      UPDATE refresh_token SET sealed_successor = NULL WHERE sealed_successor IS NOT NULL
        AND grant_id IN (SELECT id FROM oauth_grant WHERE account_id = $1 AND revoked_at IS NULL)
      """,
      [account.rawValue])
    try self.queue(
      "UPDATE oauth_grant SET revoked_at = $1, revocation_reason = $2 WHERE account_id = $3 AND revoked_at IS NULL",
      [now, reason.rawValue, account.rawValue])
  }
}

extension GrantedCredential {
  /// A query that finds a credential together with its grant and account, for ``PostgresAccess/granted(_:_:)``.
  static func query(_ columns: Columns, where condition: String) -> String {
    """
    SELECT \(columns.text), \(Columns.grant.text), \(Columns.account.text) FROM \(columns.table)
      JOIN oauth_grant ON oauth_grant.id = grant_id JOIN account ON account.id = account_id
    WHERE \(condition)
    """
  }
}
