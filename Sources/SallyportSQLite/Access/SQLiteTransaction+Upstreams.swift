public import SallyportProtocol
public import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SQLiteAccess {
  public func upstream(_ id: String) throws(StoreError) -> UpstreamRecord? {
    try self.row("SELECT \(Columns.upstream.text) FROM upstream WHERE id = ?", [id], Self.upstream)
  }

  public func upstreams() throws(StoreError) -> [UpstreamRecord] {
    try self.rows("SELECT \(Columns.upstream.text) FROM upstream ORDER BY created_at, id", [], Self.upstream)
  }

  private static func upstream(_ row: ResultRow) throws(StoreError) -> UpstreamRecord {
    let details: String = try row[5]
    return try UpstreamRecord(
      id: row[0], name: row[1], issuer: row[2], clientID: row[3], sealedSecret: row.optionalBytes(4),
      details: unwrapStored(
        try? JSONDecoder().decode(UpstreamDetails.self, from: Data(details.utf8)), "details of an upstream"),
      createdAt: row.time(6), disabledAt: row.optionalTime(7))
  }

  public func federatedIdentity(issuer: String, subject: String) throws(StoreError) -> FederatedIdentityRecord? {
    try self.row(
      "SELECT \(Columns.federatedIdentity.text) FROM federated_identity WHERE issuer = ? AND subject = ?", [issuer, subject],
      Self.identity)
  }

  public func federatedIdentities(of account: AccountID) throws(StoreError) -> [FederatedIdentityRecord] {
    try self.rows(
      """
      SELECT \(Columns.federatedIdentity.text) FROM federated_identity WHERE account_id = ? ORDER BY created_at, issuer, subject
      """, [account.rawValue], Self.identity)
  }

  private static func identity(_ row: ResultRow) throws(StoreError) -> FederatedIdentityRecord {
    try FederatedIdentityRecord(
      issuer: row[0], subject: row[1], account: AccountID(rawValue: row[2]), label: row[3], createdAt: row.time(4),
      lastUsedAt: row.optionalTime(5))
  }

  public func upstreamRequest(_ fingerprint: Fingerprint) throws(StoreError) -> UpstreamRequestRecord? {
    try self.row("SELECT \(Columns.upstreamRequest.text) FROM upstream_request WHERE fingerprint = ?", [fingerprint]) {
      (row) throws(StoreError) in
      try UpstreamRequestRecord(fingerprint: row.fingerprint(0), sealedContent: row.bytes(1), expiresAt: row.time(2))
    }
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ upstream: UpstreamRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO upstream (id, name, issuer, client_id, sealed_secret, details, created_at, disabled_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        upstream.id, upstream.name, upstream.issuer, upstream.clientID, upstream.sealedSecret, try Self.json(upstream.details),
        upstream.createdAt, upstream.disabledAt,
      ])
  }

  public mutating func update(_ upstream: UpstreamRecord) throws(StoreError) -> Bool {
    try self.change(
      """
      UPDATE upstream SET name = ?, issuer = ?, client_id = ?, sealed_secret = ?, details = ?, disabled_at = ? WHERE id = ?
      """,
      [
        upstream.name, upstream.issuer, upstream.clientID, upstream.sealedSecret, try Self.json(upstream.details),
        upstream.disabledAt, upstream.id,
      ]) == 1
  }

  // `recorded` is not stored: it only proves that this transaction contains the audit record of the change.
  public mutating func removeUpstream(_ id: String, _ recorded: borrowing Recorded) throws(StoreError) -> Bool {
    try self.change("DELETE FROM upstream WHERE id = ?", [id]) == 1
  }

  public mutating func insert(_ identity: FederatedIdentityRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO federated_identity (issuer, subject, account_id, label, created_at, last_used_at) VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        identity.issuer, identity.subject, identity.account.rawValue, identity.label, identity.createdAt, identity.lastUsedAt,
      ])
  }

  public mutating func useFederatedIdentity(
    issuer: String, subject: String, at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.change(
      "UPDATE federated_identity SET last_used_at = ? WHERE issuer = ? AND subject = ?", [now, issuer, subject]) == 1
  }

  public mutating func removeFederatedIdentity(
    issuer: String, subject: String, of account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    try self.change(
      "DELETE FROM federated_identity WHERE issuer = ? AND subject = ? AND account_id = ?", [issuer, subject, account.rawValue])
      == 1
  }

  public mutating func insert(_ request: UpstreamRequestRecord) throws(StoreError) {
    try self.change(
      "INSERT INTO upstream_request (fingerprint, sealed_content, expires_at) VALUES (?, ?, ?)",
      [request.fingerprint, request.sealedContent, request.expiresAt])
  }

  public mutating func consumeUpstreamRequest(
    _ fingerprint: Fingerprint, at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.change("DELETE FROM upstream_request WHERE fingerprint = ? AND expires_at > ?", [fingerprint, now]) == 1
  }

  private static func json(_ details: UpstreamDetails) throws(StoreError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(details) else {
      throw .unavailable(reason: "the details of an upstream cannot be encoded as JSON")
    }
    return String(decoding: json, as: UTF8.self)
  }
}
