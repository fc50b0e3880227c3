public import SallyportServer
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SQLiteAccess {
  private static var columns: String {
    """
    id, name, type, application_type, origin, scope, signing_algorithm, authentication_method, secret_fingerprint, jwks, jwks_uri,
    grant_types, is_first_party, registration_token, details, created_at
    """
  }

  public func client(_ id: ClientID) throws(StoreError) -> ClientRecord? {
    guard
      var client = try self.row("SELECT \(Self.columns) FROM client WHERE id = ?", [id.rawValue], Self.client)
    else { return nil }
    client.redirectURIs = try self.redirectURIs(of: id)
    return client
  }

  public func clients() throws(StoreError) -> [ClientRecord] {
    var clients = try self.rows("SELECT \(Self.columns) FROM client ORDER BY created_at, id", [], Self.client)
    for index in clients.indices {
      clients[index].redirectURIs = try self.redirectURIs(of: clients[index].id)
    }
    return clients
  }

  public func configurationVersion() throws(StoreError) -> Int64 {
    try self.row("SELECT version FROM configuration") { (row) throws(StoreError) in try row[0] } ?? 0
  }

  public func countClients(_ origin: ClientRecord.Origin) throws(StoreError) -> Int {
    try self.row("SELECT count(*) FROM client WHERE origin = ?", [origin.rawValue]) { (row) throws(StoreError) in try row[0] }
      ?? 0
  }

  private func redirectURIs(of id: ClientID) throws(StoreError) -> [RedirectURI] {
    try self.rows("SELECT uri FROM client_redirect_uri WHERE client_id = ? ORDER BY position", [id.rawValue]) {
      (row) throws(StoreError) in
      let text: String = try row[0]
      return try unwrapStored(try? RedirectURI(text, schemes: .all), "redirect URI")
    }
  }

  private static func client(_ row: ResultRow) throws(StoreError) -> ClientRecord {
    let details: String = try row[14]
    return try ClientRecord(
      id: ClientID(rawValue: row[0]), name: row[1], type: unwrapStored(.init(rawValue: row[2]), "client type"),
      applicationType: unwrapStored(.init(rawValue: row[3]), "application type"),
      origin: unwrapStored(.init(rawValue: row[4]), "origin"), redirectURIs: [], scope: row.scope(5),
      signingAlgorithm: row[6], authenticationMethod: unwrapStored(.init(rawValue: row[7]), "authentication method"),
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

extension SQLiteTransaction {
  public mutating func insert(_ client: ClientRecord) throws(StoreError) {
    let details = try Self.json(client.details)
    let (jwks, jwksURI) = client.keys.columns
    try self.change(
      """
      INSERT INTO client (id, name, type, application_type, origin, scope, signing_algorithm, authentication_method,
        secret_fingerprint, jwks, jwks_uri, grant_types, is_first_party, registration_token, details, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        client.id.rawValue, client.name, client.type.rawValue, client.applicationType.rawValue, client.origin.rawValue,
        client.scope.description, client.signingAlgorithm, client.authenticationMethod.rawValue,
        client.secretFingerprint, jwks, jwksURI, client.grantTypes.column, client.isFirstParty,
        client.registrationToken, details, client.createdAt,
      ])
    try self.insertRedirectURIs(of: client)
  }

  public mutating func update(_ client: ClientRecord) throws(StoreError) -> Bool {
    let details = try Self.json(client.details)
    let (jwks, jwksURI) = client.keys.columns
    let updated = try self.change(
      """
      UPDATE client SET name = ?, type = ?, application_type = ?, scope = ?, signing_algorithm = ?, authentication_method = ?,
        secret_fingerprint = ?, jwks = ?, jwks_uri = ?, grant_types = ?, is_first_party = ?, registration_token = ?, details = ?
      WHERE id = ?
      """,
      [
        client.name, client.type.rawValue, client.applicationType.rawValue, client.scope.description, client.signingAlgorithm,
        client.authenticationMethod.rawValue, client.secretFingerprint, jwks, jwksURI, client.grantTypes.column,
        client.isFirstParty, client.registrationToken, details, client.id.rawValue,
      ])
    guard updated == 1 else { return false }
    try self.change("DELETE FROM client_redirect_uri WHERE client_id = ?", [client.id.rawValue])
    try self.insertRedirectURIs(of: client)
    return true
  }

  private mutating func insertRedirectURIs(of client: ClientRecord) throws(StoreError) {
    for (position, uri) in client.redirectURIs.enumerated() {
      try self.change(
        "INSERT INTO client_redirect_uri (client_id, position, uri) VALUES (?, ?, ?)",
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

  // `recorded` is not stored: it only proves that this transaction contains the audit record of the change.
  public mutating func removeClient(_ id: ClientID, _ recorded: borrowing Recorded) throws(StoreError) -> Bool {
    try self.change("DELETE FROM client WHERE id = ?", [id.rawValue]) == 1
  }

  public mutating func removeGrantsAndConsents(ofDisabled client: ClientID, limit: Int) throws(StoreError) -> Int {
    let isDisabled = try self.row("SELECT 1 FROM client WHERE id = ? AND grant_types = ''", [client.rawValue]) { _ in true }
    guard isDisabled == true else { return 0 }
    let grants = try self.rows("SELECT id FROM oauth_grant WHERE client_id = ? LIMIT ?", [client.rawValue, limit]) {
      (row) throws(StoreError) -> String in try row[0]
    }
    guard !grants.isEmpty else {
      return try self.change(
        """
        DELETE FROM consent WHERE (account_id, client_id, redirect_uri, resources) IN (
          SELECT account_id, client_id, redirect_uri, resources FROM consent WHERE client_id = ? LIMIT ?)
        """, [client.rawValue, limit])
    }
    var tokens = 0
    for grant in grants where tokens < limit {
      tokens += try self.change(
        """
        DELETE FROM refresh_token WHERE (grant_id, number) IN (
          SELECT grant_id, number FROM refresh_token WHERE grant_id = ? LIMIT ?)
        """, [grant, limit - tokens])
    }
    guard tokens < limit else { return tokens }
    for grant in grants { try self.change("DELETE FROM oauth_grant WHERE id = ?", [grant]) }
    return tokens + grants.count
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
