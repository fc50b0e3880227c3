import GRDB
public import SallyportProtocol
public import SallyportServer

extension SQLiteAccess {
  public func sessionClients(ofSession sessionID: String) throws(StoreError) -> [SessionClientRecord] {
    try self.rows(
      "SELECT sid, client_id, account_id, expires_at FROM session_client WHERE sid = ? ORDER BY client_id", [sessionID],
      Self.sessionClient)
  }

  public func sessionClients(of account: AccountID) throws(StoreError) -> [SessionClientRecord] {
    try self.rows(
      "SELECT sid, client_id, account_id, expires_at FROM session_client WHERE account_id = ? ORDER BY sid, client_id",
      [account.rawValue], Self.sessionClient)
  }

  public func logoutDeliveries() throws(StoreError) -> [LogoutDeliveryRecord] {
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

extension SQLiteTransaction {
  public mutating func put(_ client: SessionClientRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO session_client (sid, client_id, account_id, expires_at) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)
      """,
      [client.sessionID, client.client.rawValue, client.account.rawValue, client.expiresAt])
  }

  public mutating func extendSessionClients(ofSession sessionID: String, to expiry: Timestamp) throws(StoreError) {
    try self.change(
      "UPDATE session_client SET expires_at = max(expires_at, ?) WHERE sid = ?", [expiry, sessionID])
  }

  public mutating func removeSessionClients(ofSession sessionID: String) throws(StoreError) {
    try self.change("DELETE FROM session_client WHERE sid = ?", [sessionID])
  }

  /// The column `is_strangers`, whose name is older than the term "dynamic client", is 1 if no operator registered the
  /// client. The value is derived from the client's origin, which never changes. If the client does not exist, the
  /// foreign key rejects the row.
  public mutating func insert(_ delivery: LogoutDeliveryRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO logout_delivery (id, client_id, account_id, sid, attempts, due_at, expires_at, is_strangers)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, coalesce((SELECT origin <> 'operator' FROM client WHERE id = ?2), 0))
      """,
      [
        delivery.id, delivery.client.rawValue, delivery.account.rawValue, delivery.sessionID, delivery.attempts,
        delivery.dueAt, delivery.expiresAt,
      ])
  }

  /// `isDynamic` selects by the column `is_strangers`. One index provides the order and covers all conditions, so
  /// SQLite stops at the first delivery that matches. Before this delivery, SQLite reads only deliveries to clients in
  /// `busy`.
  public mutating func claimLogoutDelivery(
    isDynamic: Bool, except busy: [ClientID], retry: Timestamp, at now: Timestamp
  ) throws(StoreError) -> LogoutDeliveryRecord? {
    try self.row(
      """
      UPDATE logout_delivery SET attempts = attempts + 1, due_at = ? WHERE id = (
        SELECT id FROM logout_delivery
        WHERE is_strangers = ? AND due_at <= ? AND client_id NOT IN (\(databaseQuestionMarks(count: busy.count)))
        ORDER BY due_at, id LIMIT 1)
      RETURNING \(Self.deliveryColumns)
      """,
      [retry, isDynamic, now] + busy.map { $0.rawValue as (any StatementArgument)? },
      Self.delivery)
  }

  public mutating func postponeLogoutDelivery(_ id: String, to time: Timestamp) throws(StoreError) {
    try self.change("UPDATE logout_delivery SET due_at = ? WHERE id = ?", [time, id])
  }

  public mutating func removeLogoutDelivery(_ id: String) throws(StoreError) -> Bool {
    try self.change("DELETE FROM logout_delivery WHERE id = ?", [id]) == 1
  }
}
