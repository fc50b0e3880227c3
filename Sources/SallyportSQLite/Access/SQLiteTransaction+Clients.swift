import GRDB
public import SallyportServer
import SallyportProtocol

extension SQLiteAccess {
  private static var columns: String {
    "id, name, type, application_type, origin, scope, signing_algorithm, secret_fingerprint, created_at"
  }

  public func client(_ id: ClientID) throws(StoreError) -> ClientRecord? {
    guard
      var client = try self.row("SELECT \(Self.columns) FROM client WHERE id = ?", [id.rawValue], { try Self.client($0) })
    else { return nil }
    client.redirectURIs = try self.redirectURIs(of: id)
    return client
  }

  public func clients() throws(StoreError) -> [ClientRecord] {
    var clients = try self.rows("SELECT \(Self.columns) FROM client ORDER BY created_at, id", [], { try Self.client($0) })
    for index in clients.indices {
      clients[index].redirectURIs = try self.redirectURIs(of: clients[index].id)
    }
    return clients
  }

  public func configurationVersion() throws(StoreError) -> Int64 {
    try self.row("SELECT version FROM configuration") { $0[0] } ?? 0
  }

  private func redirectURIs(of id: ClientID) throws(StoreError) -> [RedirectURI] {
    try self.rows("SELECT uri FROM client_redirect_uri WHERE client_id = ? ORDER BY position", [id.rawValue]) { row in
      try readable(try? RedirectURI(row[0] as String), "redirect URI")
    }
  }

  private static func client(_ row: Row) throws(StoreError) -> ClientRecord {
    ClientRecord(
      id: ClientID(rawValue: row[0]), name: row[1], type: try readable(.init(rawValue: row[2]), "client type"),
      applicationType: try readable(.init(rawValue: row[3]), "application type"),
      origin: try readable(.init(rawValue: row[4]), "origin"), redirectURIs: [], scope: try row.scope(5),
      signingAlgorithm: row[6], secretFingerprint: row.optionalFingerprint(7), createdAt: row.time(8))
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ client: ClientRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO client (id, name, type, application_type, origin, scope, signing_algorithm, secret_fingerprint, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        client.id.rawValue, client.name, client.type.rawValue, client.applicationType.rawValue, client.origin.rawValue,
        client.scope.description, client.signingAlgorithm, client.secretFingerprint?.column, client.createdAt.milliseconds,
      ])
    for (position, uri) in client.redirectURIs.enumerated() {
      try self.change(
        "INSERT INTO client_redirect_uri (client_id, position, uri) VALUES (?, ?, ?)",
        [client.id.rawValue, position, uri.value])
    }
  }

  public mutating func removeClient(_ id: ClientID) throws(StoreError) -> Bool {
    try self.change("DELETE FROM client WHERE id = ?", [id.rawValue]) == 1
  }
}
