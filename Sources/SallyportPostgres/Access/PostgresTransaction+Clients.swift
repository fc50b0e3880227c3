import SallyportServer
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PostgresAccess {
  /// The columns of a client, which are read by position.
  private static var columns: String {
    """
    id, name, type, application_type, origin, scope, signing_algorithm, authentication_method, secret_fingerprint, jwks, jwks_uri,
    grant_types, is_first_party, registration_token, details, created_at,
    (SELECT coalesce(string_agg(uri, ' ' ORDER BY position), '') FROM client_redirect_uri WHERE client_id = client.id)
    """
  }

  func client(_ id: ClientID) throws(StoreError) -> ClientRecord? {
    try self.row("SELECT \(Self.columns) FROM client WHERE id = $1", [id.rawValue], Self.client)
  }

  func clients() throws(StoreError) -> [ClientRecord] {
    try self.rows("SELECT \(Self.columns) FROM client ORDER BY created_at, id", [], Self.client)
  }

  func configurationVersion() throws(StoreError) -> Int64 {
    try self.row("SELECT version FROM configuration") { (row) throws(StoreError) in try row[0] } ?? 0
  }

  func countClients(_ origin: ClientRecord.Origin) throws(StoreError) -> Int {
    try self.row("SELECT count(*) FROM client WHERE origin = $1", [origin.rawValue]) { (row) throws(StoreError) in try row[0] }
      ?? 0
  }

  private static func redirectURIs(_ words: [String]) throws(StoreError) -> [RedirectURI] {
    var uris: [RedirectURI] = []
    for word in words { uris.append(try unwrapStored(try? RedirectURI(word, schemes: .all), "redirect URI")) }
    return uris
  }

  /// - Parameter row: A row with the columns of ``columns``.
  private static func client(_ row: ResultRow) throws(StoreError) -> ClientRecord {
    let details: String = try row[14]
    return try ClientRecord(
      id: ClientID(rawValue: row[0]), name: row[1], type: unwrapStored(.init(rawValue: row[2]), "client type"),
      applicationType: unwrapStored(.init(rawValue: row[3]), "application type"),
      origin: unwrapStored(.init(rawValue: row[4]), "origin"), redirectURIs: self.redirectURIs(row.words(16)),
      scope: row.scope(5), signingAlgorithm: row[6],
      authenticationMethod: unwrapStored(.init(rawValue: row[7]), "authentication method"),
      secretFingerprint: row.optionalFingerprint(8), keys: self.keys(inline: row[9], remote: row[10]),
      grantTypes: self.grantTypes(row.words(11)), isFirstParty: row[12], registrationToken: row.optionalFingerprint(13),
      details: unwrapStored(try? JSONDecoder().decode(ClientDetails.self, from: Data(details.utf8)), "client details"),
      createdAt: row.time(15))
  }

  private static func keys(inline: String?, remote: String?) -> ClientKeys? {
    inline.map { .inline($0) } ?? remote.map { .remote($0) }
  }

  private static func grantTypes(_ words: [String]) throws(StoreError) -> [GrantType] {
    var types: [GrantType] = []
    for word in words { types.append(try unwrapStored(GrantType(rawValue: word), "grant type")) }
    return types
  }
}

extension PostgresTransaction {
  mutating func insert(_ client: ClientRecord) throws(StoreError) {
    let details = try Self.json(client.details)
    let (jwks, jwksURI) = client.keys.columns
    try self.queue(
      """
      INSERT INTO client (id, name, type, application_type, origin, scope, signing_algorithm, authentication_method,
        secret_fingerprint, jwks, jwks_uri, grant_types, is_first_party, registration_token, details, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
      """,
      [
        client.id.rawValue, client.name, client.type.rawValue, client.applicationType.rawValue, client.origin.rawValue,
        client.scope.description, client.signingAlgorithm, client.authenticationMethod.rawValue,
        client.secretFingerprint, jwks, jwksURI, client.grantTypes.column, client.isFirstParty,
        client.registrationToken, details, client.createdAt,
      ])
    try self.insertRedirectURIs(of: client)
  }

  mutating func update(_ client: ClientRecord) throws(StoreError) -> Bool {
    let details = try Self.json(client.details)
    let (jwks, jwksURI) = client.keys.columns
    let isKnown = try self.expectChange(
      """
      UPDATE client SET name = $1, type = $2, application_type = $3, scope = $4, signing_algorithm = $5, authentication_method = $6,
        secret_fingerprint = $7, jwks = $8, jwks_uri = $9, grant_types = $10, is_first_party = $11, registration_token = $12, details = $13
      WHERE id = $14
      """,
      [
        client.name, client.type.rawValue, client.applicationType.rawValue, client.scope.description, client.signingAlgorithm,
        client.authenticationMethod.rawValue, client.secretFingerprint, jwks, jwksURI, client.grantTypes.column,
        client.isFirstParty, client.registrationToken, details, client.id.rawValue,
      ])
    guard isKnown else { return false }
    try self.queue("DELETE FROM client_redirect_uri WHERE client_id = $1", [client.id.rawValue])
    try self.insertRedirectURIs(of: client)
    return true
  }

  private mutating func insertRedirectURIs(of client: ClientRecord) throws(StoreError) {
    for (position, uri) in client.redirectURIs.enumerated() {
      try self.queue(
        "INSERT INTO client_redirect_uri (client_id, position, uri) VALUES ($1, $2, $3)",
        [client.id.rawValue, position, uri.value])
    }
  }

  private static func json(_ details: ClientDetails) throws(StoreError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(details) else {
      throw .unavailable(reason: "the client details cannot be encoded as JSON")
    }
    return String(decoding: json, as: UTF8.self)
  }

  /// - Parameter recorded: Shows that this transaction contains the audit record of the removal.
  mutating func removeClient(_ id: ClientID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool {
    try self.expectChange("DELETE FROM client WHERE id = $1", [id.rawValue])
  }

  mutating func removeGrantsAndConsents(ofDisabled client: ClientID, limit: Int) throws(StoreError) -> Int {
    let isDisabled = try self.row("SELECT 1 FROM client WHERE id = $1 AND grant_types = ''", [client.rawValue]) { _ in true }
    guard isDisabled == true else { return 0 }
    let grants = try self.rows("SELECT id FROM oauth_grant WHERE client_id = $1 LIMIT $2", [client.rawValue, limit]) {
      (row) throws(StoreError) -> String in try row[0]
    }
    guard !grants.isEmpty else {
      return try self.change(
        """
        DELETE FROM consent WHERE (account_id, client_id, redirect_uri, resources) IN (
          SELECT account_id, client_id, redirect_uri, resources FROM consent WHERE client_id = $1 LIMIT $2)
        """, [client.rawValue, limit])
    }
    // A statement has a fixed number of parameters, so one parameter contains all identifiers. They contain no spaces.
    let ids = grants.joined(separator: " ")
    let tokens = try self.change(
      """
      DELETE FROM refresh_token WHERE (grant_id, number) IN (
        SELECT grant_id, number FROM refresh_token WHERE grant_id = ANY (string_to_array($1, ' ')) LIMIT $2)
      """, [ids, limit])
    guard tokens < limit else { return tokens }
    return tokens + (try self.change("DELETE FROM oauth_grant WHERE id = ANY (string_to_array($1, ' '))", [ids]))
  }
}

extension ClientKeys? {
  fileprivate var columns: (inline: String?, remote: String?) {
    switch self {
    case .inline(let keys): (keys, nil)
    case .remote(let uri): (nil, uri)
    case nil: (nil, nil)
    }
  }
}

extension [GrantType] {
  fileprivate var column: String { self.map(\.rawValue).joined(separator: " ") }
}
