import SallyportProtocol
import SallyportServer

extension PostgresAccess {
  func sessionClients(ofSession sessionID: String) throws(StoreError) -> [SessionClientRecord] {
    try self.rows(
      "SELECT sid, client_id, account_id, expires_at FROM session_client WHERE sid = $1 ORDER BY client_id", [sessionID],
      Self.sessionClient)
  }

  func sessionClients(of account: AccountID) throws(StoreError) -> [SessionClientRecord] {
    try self.rows(
      "SELECT sid, client_id, account_id, expires_at FROM session_client WHERE account_id = $1 ORDER BY sid, client_id",
      [account.rawValue], Self.sessionClient)
  }

  func logoutDeliveries() throws(StoreError) -> [LogoutDeliveryRecord] {
    try self.rows("SELECT \(Self.deliveryColumns) FROM logout_delivery ORDER BY due_at, id", [], Self.delivery)
  }

  private static func sessionClient(_ row: ResultRow) throws(StoreError) -> SessionClientRecord {
    try SessionClientRecord(
      sessionID: row[0], client: ClientID(rawValue: row[1]), account: AccountID(rawValue: row[2]), expiresAt: row.time(3))
  }

  fileprivate static var deliveryColumns: String { "id, client_id, account_id, sid, attempts, due_at, expires_at" }

  fileprivate static func delivery(_ row: ResultRow) throws(StoreError) -> LogoutDeliveryRecord {
    try LogoutDeliveryRecord(
      id: row[0], client: ClientID(rawValue: row[1]), account: AccountID(rawValue: row[2]), sessionID: row[3], attempts: row[4],
      dueAt: row.time(5), expiresAt: row.time(6))
  }
}

extension PostgresTransaction {
  mutating func put(_ client: SessionClientRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO session_client (sid, client_id, account_id, expires_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (sid, client_id)
        DO UPDATE SET expires_at = greatest(session_client.expires_at, excluded.expires_at)
      """,
      [client.sessionID, client.client.rawValue, client.account.rawValue, client.expiresAt])
  }

  mutating func extendSessionClients(ofSession sessionID: String, to expiry: Timestamp) throws(StoreError) {
    try self.queue(
      "UPDATE session_client SET expires_at = greatest(expires_at, $1) WHERE sid = $2", [expiry, sessionID])
  }

  mutating func removeSessionClients(ofSession sessionID: String) throws(StoreError) {
    try self.queue("DELETE FROM session_client WHERE sid = $1", [sessionID])
  }

  /// The column `is_dynamic` is true if no operator registered the client. The origin of a client never changes. If the
  /// client does not exist, the foreign key rejects the row.
  mutating func insert(_ delivery: LogoutDeliveryRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO logout_delivery (id, client_id, account_id, sid, attempts, due_at, expires_at, is_dynamic)
      VALUES ($1, $2, $3, $4, $5, $6, $7, coalesce((SELECT origin <> 'operator' FROM client WHERE id = $2), FALSE))
      """,
      [
        delivery.id, delivery.client.rawValue, delivery.account.rawValue, delivery.sessionID, delivery.attempts,
        delivery.dueAt, delivery.expiresAt,
      ])
  }

  /// A delivery that another server is claiming is skipped.
  mutating func claimLogoutDelivery(
    isDynamic: Bool, except busy: [ClientID], retry: Timestamp, at now: Timestamp
  ) throws(StoreError) -> LogoutDeliveryRecord? {
    let exclusion = busy.indices.map { "AND client_id <> $\($0 + 4) " }.joined()
    return try self.returning(
      """
      UPDATE logout_delivery SET attempts = attempts + 1, due_at = $1 WHERE id = (
        SELECT id FROM logout_delivery
        WHERE is_dynamic = $2 AND due_at <= $3 \(exclusion)
        ORDER BY due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING \(Self.deliveryColumns)
      """,
      [retry, isDynamic, now] + busy.map { $0.rawValue as (any StatementArgument)? },
      Self.delivery
    ).first
  }

  mutating func postponeLogoutDelivery(_ id: String, to time: Timestamp) throws(StoreError) {
    try self.queue("UPDATE logout_delivery SET due_at = $1 WHERE id = $2", [time, id])
  }

  mutating func removeLogoutDelivery(_ id: String) throws(StoreError) -> Bool {
    try self.expectChange("DELETE FROM logout_delivery WHERE id = $1", [id])
  }
}
