import SallyportProtocol
import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension PostgresAccess {
  func upstream(_ id: String) throws(StoreError) -> UpstreamRecord? {
    try self.row("SELECT \(Columns.upstream.text) FROM upstream WHERE id = $1", [id], Self.upstream)
  }

  func upstreams() throws(StoreError) -> [UpstreamRecord] {
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

  func federatedIdentity(issuer: String, subject: String) throws(StoreError) -> FederatedIdentityRecord? {
    try self.row(
      "SELECT \(Columns.federatedIdentity.text) FROM federated_identity WHERE issuer = $1 AND subject = $2", [issuer, subject],
      Self.identity)
  }

  func federatedIdentities(of account: AccountID) throws(StoreError) -> [FederatedIdentityRecord] {
    try self.rows(
      """
      SELECT \(Columns.federatedIdentity.text) FROM federated_identity WHERE account_id = $1 ORDER BY created_at, issuer, subject
      """, [account.rawValue], Self.identity)
  }

  private static func identity(_ row: ResultRow) throws(StoreError) -> FederatedIdentityRecord {
    try FederatedIdentityRecord(
      issuer: row[0], subject: row[1], account: AccountID(rawValue: row[2]), label: row[3], createdAt: row.time(4),
      lastUsedAt: row.optionalTime(5))
  }

  func upstreamRequest(_ fingerprint: Fingerprint) throws(StoreError) -> UpstreamRequestRecord? {
    try self.row("SELECT \(Columns.upstreamRequest.text) FROM upstream_request WHERE fingerprint = $1", [fingerprint]) {
      (row) throws(StoreError) in
      try UpstreamRequestRecord(fingerprint: row.fingerprint(0), sealedContent: row.bytes(1), expiresAt: row.time(2))
    }
  }
}

// A `Recorded` parameter is not read. It proves that the transaction contains the audit record of the change.
extension PostgresTransaction {
  mutating func insert(_ upstream: UpstreamRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO upstream (id, name, issuer, client_id, sealed_secret, details, created_at, disabled_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      """,
      [
        upstream.id, upstream.name, upstream.issuer, upstream.clientID, upstream.sealedSecret, try Self.json(upstream.details),
        upstream.createdAt, upstream.disabledAt,
      ])
  }

  mutating func update(_ upstream: UpstreamRecord) throws(StoreError) -> Bool {
    try self.expectChange(
      """
      UPDATE upstream SET name = $1, issuer = $2, client_id = $3, sealed_secret = $4, details = $5, disabled_at = $6 WHERE id = $7
      """,
      [
        upstream.name, upstream.issuer, upstream.clientID, upstream.sealedSecret, try Self.json(upstream.details),
        upstream.disabledAt, upstream.id,
      ])
  }

  mutating func removeUpstream(_ id: String, _ recorded: borrowing Recorded) throws(StoreError) -> Bool {
    try self.expectChange("DELETE FROM upstream WHERE id = $1", [id])
  }

  mutating func insert(_ identity: FederatedIdentityRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO federated_identity (issuer, subject, account_id, label, created_at, last_used_at) VALUES ($1, $2, $3, $4, $5, $6)
      """,
      [
        identity.issuer, identity.subject, identity.account.rawValue, identity.label, identity.createdAt, identity.lastUsedAt,
      ])
  }

  mutating func useFederatedIdentity(
    issuer: String, subject: String, at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.expectChange(
      "UPDATE federated_identity SET last_used_at = $1 WHERE issuer = $2 AND subject = $3", [now, issuer, subject])
  }

  mutating func removeFederatedIdentity(
    issuer: String, subject: String, of account: AccountID, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    try self.expectChange(
      "DELETE FROM federated_identity WHERE issuer = $1 AND subject = $2 AND account_id = $3",
      [issuer, subject, account.rawValue])
  }

  mutating func insert(_ request: UpstreamRequestRecord) throws(StoreError) {
    try self.queue(
      "INSERT INTO upstream_request (fingerprint, sealed_content, expires_at) VALUES ($1, $2, $3)",
      [request.fingerprint, request.sealedContent, request.expiresAt])
  }

  mutating func consumeUpstreamRequest(
    _ fingerprint: Fingerprint, at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.expectChange("DELETE FROM upstream_request WHERE fingerprint = $1 AND expires_at > $2", [fingerprint, now])
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
