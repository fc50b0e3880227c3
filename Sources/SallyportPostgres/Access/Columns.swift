/// The columns of a record, in the order in which they are read. Each column name is prefixed with its table, so that
/// one `SELECT` statement can read the records of several tables.
struct Columns {
  let table: String
  /// The column names, separated by commas, for a `SELECT` statement.
  let text: String
  /// The number of columns.
  let count: Int

  init(_ table: String, _ names: String...) {
    self.table = table
    self.text = names.map { "\(table).\($0)" }.joined(separator: ", ")
    self.count = names.count
  }
}

extension Columns {
  static let account = Columns(
    "account", "id", "username", "password_hash", "password_changed_at", "name", "email", "created_at", "disabled_at",
    "email_verified_at", "language")
  static let passkey = Columns(
    "passkey", "id", "account_id", "rp_id", "public_key", "aaguid", "is_attested", "signature_count", "transports",
    "is_backup_eligible", "is_backed_up", "name", "created_at", "last_used_at")
  static let totp = Columns("totp", "account_id", "sealed_secret", "last_step", "created_at", "last_used_at")
  static let recoveryCode = Columns("recovery_code", "account_id", "fingerprint", "created_at", "used_at")
  static let accountLink = Columns(
    "account_link", "fingerprint", "purpose", "account_id", "email", "created_at", "expires_at", "consumed_at")
  static let signUp = Columns(
    "sign_up", "fingerprint", "kind", "email", "created_at", "expires_at", "consumed_at")
  static let upstream = Columns(
    "upstream", "id", "name", "issuer", "client_id", "sealed_secret", "details", "created_at", "disabled_at")
  static let federatedIdentity = Columns(
    "federated_identity", "issuer", "subject", "account_id", "label", "created_at", "last_used_at")
  static let upstreamRequest = Columns("upstream_request", "fingerprint", "sealed_content", "expires_at")
  static let mail = Columns(
    "mail", "id", "recipient", "content", "sealed_link", "attempts", "created_at", "due_at", "expires_at")
  static let grant = Columns(
    "oauth_grant", "id", "client_id", "account_id", "scope", "requested_scope", "resources", "nonce", "bound_key", "session_id",
    "acr", "amr", "claims", "authenticated_at", "created_at", "expires_at", "revoked_at", "revocation_reason")
  static let authorizationCode = Columns(
    "authorization_code", "grant_id", "fingerprint", "redirect_uri", "challenge", "expires_at", "consumed_at", "failures")
  static let refreshToken = Columns(
    "refresh_token", "grant_id", "number", "fingerprint", "issued_at", "expires_at", "consumed_at", "sealed_successor")
  static let browserSession = Columns(
    "browser_session", "fingerprint", "sid", "account_id", "authenticated_at", "last_seen_at", "expires_at", "ended_at",
    "user_agent", "address", "amr", "is_public", "upstream_issuer", "upstream_subject", "upstream_sid")
  static let consent = Columns("consent", "account_id", "client_id", "redirect_uri", "resources", "scope", "given_at")
}
