/// A table that SQLite and PostgreSQL both store, for copying an installation from one database to the other. Tables
/// and columns have the names that PostgreSQL uses.
package struct StoredTable: Sendable {
  package enum Kind: Sendable, Equatable { case text, integer, bytes, boolean }

  package struct Column: Sendable, Equatable {
    package let name: String
    package let kind: Kind
  }

  package let name: String
  /// All columns, beginning with the columns of the primary key.
  package let columns: [Column]
  /// The number of columns of the primary key.
  package let keyCount: Int

  /// The columns of the primary key.
  package var key: ArraySlice<Column> { self.columns.prefix(self.keyCount) }

  /// - Parameters:
  ///   - key: The number of columns of the primary key.
  ///   - columns: The names, separated by spaces. A name ends with `#` for an integer, `*` for bytes, or `?` for a
  ///     boolean. Without one of these signs, the column contains text.
  private init(_ name: String, key: Int = 1, _ columns: String) {
    self.name = name
    self.keyCount = key
    self.columns = columns.split(separator: " ").map { column in
      let kinds: [Character: Kind] = ["#": .integer, "*": .bytes, "?": .boolean]
      guard let kind = column.last.flatMap({ kinds[$0] }) else { return Column(name: String(column), kind: .text) }
      return Column(name: String(column.dropLast()), kind: kind)
    }
  }

  /// All tables with data. A table comes after the tables that its foreign keys refer to.
  package static let all = [
    StoredTable(
      "account",
      "id username password_hash password_changed_at# name email created_at# disabled_at# email_verified_at# language"),
    StoredTable(
      "passkey",
      """
      id* account_id rp_id public_key* aaguid* is_attested? signature_count# transports is_backup_eligible? is_backed_up? name \
      created_at# last_used_at#
      """),
    StoredTable("totp", "account_id sealed_secret* last_step# created_at# last_used_at#"),
    StoredTable("recovery_code", key: 2, "account_id fingerprint* created_at# used_at#"),
    StoredTable(
      "account_link", "fingerprint* purpose account_id email created_at# expires_at# consumed_at#"),
    StoredTable("sign_up", "fingerprint* kind email created_at# expires_at# consumed_at#"),
    StoredTable("upstream", "id name issuer client_id sealed_secret* details created_at# disabled_at#"),
    StoredTable("federated_identity", key: 2, "issuer subject account_id label created_at# last_used_at#"),
    StoredTable("upstream_request", "fingerprint* sealed_content* expires_at#"),
    StoredTable("mail", "id recipient content sealed_link* attempts# created_at# due_at# expires_at#"),
    StoredTable("signing_key", "id algorithm sealed_private_key* created_at# active_at# retired_at# removed_at#"),
    StoredTable(
      "client",
      """
      id name type application_type origin scope signing_algorithm authentication_method secret_fingerprint* jwks jwks_uri \
      grant_types is_first_party? registration_token* details created_at#
      """),
    StoredTable("client_redirect_uri", key: 2, "client_id position# uri"),
    StoredTable("client_lease", "client_id last_used_at# expires_at#"),
    StoredTable("initial_access_token", "fingerprint* label created_at# expires_at# remaining_uses#"),
    StoredTable(
      "browser_session",
      """
      fingerprint* sid account_id authenticated_at# last_seen_at# expires_at# ended_at# user_agent address amr is_public? \
      upstream_issuer upstream_subject upstream_sid
      """),
    StoredTable("consumed_interaction", "id expires_at#"),
    StoredTable("consent", key: 4, "account_id client_id redirect_uri resources scope given_at#"),
    StoredTable("session_client", key: 2, "sid client_id account_id expires_at#"),
    StoredTable("logout_delivery", "id client_id account_id sid attempts# due_at# expires_at# is_dynamic?"),
    StoredTable(
      "oauth_grant",
      """
      id client_id account_id scope requested_scope resources nonce bound_key session_id acr amr claims authenticated_at# \
      created_at# expires_at# revoked_at# revocation_reason
      """),
    StoredTable("authorization_code", "grant_id fingerprint* redirect_uri challenge expires_at# consumed_at# failures#"),
    StoredTable(
      "refresh_token", key: 2, "grant_id number# fingerprint* issued_at# expires_at# consumed_at# sealed_successor*"),
    StoredTable("pushed_request", "fingerprint* client_id sealed_parameters* expires_at#"),
    StoredTable(
      "device_authorization",
      """
      fingerprint* user_code* client_id scope resources bound_key poll_interval# last_polled_at# created_at# expires_at# decision \
      decided_at# account_id authenticated_at# session_id consumed_at# grant_id amr
      """),
    StoredTable("used_identifier", "fingerprint* expires_at#"),
    StoredTable("attempt", "fingerprint* count# expires_at#"),
    StoredTable("audit", "id at# event reason source address request_id account_id client_id grant_id session_id subject more#"),
  ]

  /// Whether the table has insert triggers that must be disabled while rows are copied. They would reject even rows
  /// that were valid when they were first inserted, such as a token of a grant that was revoked later.
  package var hasInsertTriggers: Bool { self.name == "authorization_code" || self.name == "refresh_token" }
}

/// A value of a ``StoredTable``.
package enum StoredValue: Sendable, Equatable {
  case null
  case text(String)
  case integer(Int64)
  case bytes([UInt8])
  case boolean(Bool)

  /// The bytes for a digest, which differ for different values.
  var canonicalBytes: [UInt8] {
    func framed(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
      [tag] + withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { Array($0) } + bytes
    }
    return switch self {
    case .null: framed(0, [])
    case .text(let text): framed(1, Array(text.utf8))
    case .integer(let number): framed(2, withUnsafeBytes(of: number.bigEndian) { Array($0) })
    case .bytes(let bytes): framed(3, bytes)
    case .boolean(let value): framed(4, [value ? 1 : 0])
    }
  }
}

/// A store whose tables can be copied.
package protocol CopyableStore: Sendable {
  /// Returns rows in the order of the primary key.
  /// - Parameter key: The key after which the rows begin; nil for the first rows.
  func storedRows(of table: StoredTable, after key: [StoredValue]?, limit: Int) async throws(StoreError) -> [[StoredValue]]
  /// Returns the last primary key; nil if the table is empty.
  func lastStoredKey(of table: StoredTable) async throws(StoreError) -> [StoredValue]?
  /// Inserts rows in one transaction.
  func insertStoredRows(_ rows: [[StoredValue]], into table: StoredTable) async throws(StoreError)
  /// Makes servers that use the store read the configuration again.
  func raiseConfigurationVersion() async throws(StoreError)
}
