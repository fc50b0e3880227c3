import SallyportProtocol
import SallyportServer

extension PostgresAccess {
  /// The columns of a query. ``device(_:)`` and ``decision(_:)`` read them by their positions in this list.
  private static var columns: String {
    """
    fingerprint, user_code, client_id, scope, resources, bound_key, poll_interval, last_polled_at, created_at, expires_at,
    decision, decided_at, account_id, authenticated_at, session_id, consumed_at, grant_id, amr
    """
  }

  func deviceAuthorization(_ fingerprint: Fingerprint) throws(StoreError) -> DeviceAuthorizationRecord? {
    try self.row(
      "SELECT \(Self.columns) FROM device_authorization WHERE fingerprint = $1", [fingerprint], Self.device)
  }

  func deviceAuthorization(userCode: Fingerprint) throws(StoreError) -> DeviceAuthorizationRecord? {
    try self.row("SELECT \(Self.columns) FROM device_authorization WHERE user_code = $1", [userCode], Self.device)
  }

  func deviceApprovals(of account: AccountID) throws(StoreError) -> [DeviceAuthorizationRecord] {
    try self.rows(
      """
      SELECT \(Self.columns) FROM device_authorization WHERE account_id = $1 AND consumed_at IS NULL
      ORDER BY decided_at, fingerprint
      """, [account.rawValue], Self.device)
  }

  private static func device(_ row: ResultRow) throws(StoreError) -> DeviceAuthorizationRecord {
    var device = try DeviceAuthorizationRecord(
      fingerprint: row.fingerprint(0), userCode: row.fingerprint(1), client: ClientID(rawValue: row[2]),
      scope: row.scope(3), resources: row.words(4), jkt: row[5], interval: row[6], createdAt: row.time(8),
      expiresAt: row.time(9))
    device.lastPolledAt = try row.optionalTime(7)
    device.decision = try self.decision(row)
    device.decidedAt = try row.optionalTime(11)
    device.consumedAt = try row.optionalTime(15)
    device.grant = try (row[16] as String?).map { GrantID(rawValue: $0) }
    return device
  }

  private static func decision(_ row: ResultRow) throws(StoreError) -> DeviceAuthorizationRecord.Decision? {
    guard try row[10] as String? != nil else { return nil }
    // The schema ensures that exactly the allowed devices have an account.
    guard let account = try row[12] as String? else { return .denied }
    return try .allowed(
      account: AccountID(rawValue: account), authenticatedAt: row.time(13), sessionID: row[14], methods: row.words(17))
  }
}

extension PostgresTransaction {
  mutating func insert(_ device: DeviceAuthorizationRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO device_authorization (fingerprint, user_code, client_id, scope, resources, bound_key, poll_interval, created_at,
        expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      """,
      [
        device.fingerprint, device.userCode, device.client.rawValue, device.scope.description,
        device.resources.joined(separator: " "), device.jkt, device.interval, device.createdAt,
        device.expiresAt,
      ])
  }

  mutating func notePoll(of fingerprint: Fingerprint, interval: Int, at now: Timestamp) throws(StoreError) {
    try self.queue(
      "UPDATE device_authorization SET last_polled_at = $1, poll_interval = $2 WHERE fingerprint = $3",
      [now, interval, fingerprint])
  }

  mutating func decide(
    _ decision: DeviceAuthorizationRecord.Decision, onDevice fingerprint: Fingerprint, at now: Timestamp
  ) throws(StoreError) -> Bool {
    let values: (decision: String, account: AccountID?, authenticatedAt: Timestamp?, sessionID: String?, methods: [String])
    switch decision {
    case .allowed(let account, let authenticatedAt, let sessionID, let methods):
      values = ("allowed", account, authenticatedAt, sessionID, methods)
    case .denied: values = ("denied", nil, nil, nil, [])
    }
    return try self.expectChange(
      """
      UPDATE device_authorization SET decision = $1, decided_at = $2, account_id = $3, authenticated_at = $4, session_id = $5,
        amr = $6
      WHERE fingerprint = $7 AND decided_at IS NULL
      """,
      [
        values.decision, now, values.account?.rawValue, values.authenticatedAt, values.sessionID,
        values.methods.joined(separator: " "), fingerprint,
      ])
  }

  mutating func consumeDeviceAuthorization(
    _ fingerprint: Fingerprint, as grant: GrantID, at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.expectChange(
      """
      UPDATE device_authorization SET consumed_at = $1, grant_id = $2
      WHERE fingerprint = $3 AND consumed_at IS NULL AND decision = 'allowed'
      """,
      [now, grant.rawValue, fingerprint])
  }

  /// - Parameter recorded: Proof that the removal is in the audit trail.
  mutating func removeDeviceApprovals(of account: AccountID, _ recorded: borrowing Recorded) throws(StoreError) {
    try self.queue("DELETE FROM device_authorization WHERE account_id = $1 AND consumed_at IS NULL", [account.rawValue])
  }

  mutating func removeDeviceApprovals(
    of account: AccountID, client: ClientID, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    try self.queue(
      "DELETE FROM device_authorization WHERE account_id = $1 AND client_id = $2 AND consumed_at IS NULL",
      [account.rawValue, client.rawValue])
  }
}
