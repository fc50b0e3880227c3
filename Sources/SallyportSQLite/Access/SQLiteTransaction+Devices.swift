public import SallyportProtocol
public import SallyportServer

extension SQLiteAccess {
  /// The columns in the order in which `device` and `decision` read them by their numbers.
  private static var columns: String {
    """
    fingerprint, user_code, client_id, scope, resources, bound_key, poll_interval, last_polled_at, created_at, expires_at,
    decision, decided_at, account_id, authenticated_at, session_id, consumed_at, grant_id, amr
    """
  }

  public func deviceAuthorization(_ fingerprint: Fingerprint) throws(StoreError) -> DeviceAuthorizationRecord? {
    try self.row(
      "SELECT \(Self.columns) FROM device_authorization WHERE fingerprint = ?", [fingerprint], Self.device)
  }

  public func deviceAuthorization(userCode: Fingerprint) throws(StoreError) -> DeviceAuthorizationRecord? {
    try self.row("SELECT \(Self.columns) FROM device_authorization WHERE user_code = ?", [userCode], Self.device)
  }

  public func deviceApprovals(of account: AccountID) throws(StoreError) -> [DeviceAuthorizationRecord] {
    try self.rows(
      """
      SELECT \(Self.columns) FROM device_authorization WHERE account_id = ? AND consumed_at IS NULL
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
    guard let account = try row[12] as String? else { return .denied }
    return try .allowed(
      account: AccountID(rawValue: account), authenticatedAt: row.time(13), sessionID: row[14], methods: row.words(17))
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ device: DeviceAuthorizationRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO device_authorization (fingerprint, user_code, client_id, scope, resources, bound_key, poll_interval, created_at,
        expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        device.fingerprint, device.userCode, device.client.rawValue, device.scope.description,
        device.resources.joined(separator: " "), device.jkt, device.interval, device.createdAt,
        device.expiresAt,
      ])
  }

  public mutating func notePoll(of fingerprint: Fingerprint, interval: Int, at now: Timestamp) throws(StoreError) {
    try self.change(
      "UPDATE device_authorization SET last_polled_at = ?, poll_interval = ? WHERE fingerprint = ?",
      [now, interval, fingerprint])
  }

  public mutating func decide(
    _ decision: DeviceAuthorizationRecord.Decision, onDevice fingerprint: Fingerprint, at now: Timestamp
  ) throws(StoreError) -> Bool {
    let columns: (name: String, account: AccountID?, authenticatedAt: Timestamp?, sessionID: String?, methods: [String])
    switch decision {
    case .allowed(let account, let authenticatedAt, let sessionID, let methods):
      columns = ("allowed", account, authenticatedAt, sessionID, methods)
    case .denied: columns = ("denied", nil, nil, nil, [])
    }
    return try self.change(
      """
      UPDATE device_authorization SET decision = ?, decided_at = ?, account_id = ?, authenticated_at = ?, session_id = ?,
        amr = ?
      WHERE fingerprint = ? AND decided_at IS NULL
      """,
      [
        columns.name, now, columns.account?.rawValue, columns.authenticatedAt, columns.sessionID,
        columns.methods.joined(separator: " "), fingerprint,
      ]) == 1
  }

  public mutating func consumeDeviceAuthorization(
    _ fingerprint: Fingerprint, as grant: GrantID, at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.change(
      """
      UPDATE device_authorization SET consumed_at = ?, grant_id = ?
      WHERE fingerprint = ? AND consumed_at IS NULL AND decision = 'allowed'
      """,
      [now, grant.rawValue, fingerprint]) == 1
  }

  // `recorded` is not stored: it only proves that this transaction contains the audit record of the change.
  public mutating func removeDeviceApprovals(of account: AccountID, _ recorded: borrowing Recorded) throws(StoreError) {
    try self.change("DELETE FROM device_authorization WHERE account_id = ? AND consumed_at IS NULL", [account.rawValue])
  }

  public mutating func removeDeviceApprovals(
    of account: AccountID, client: ClientID, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    try self.change(
      "DELETE FROM device_authorization WHERE account_id = ? AND client_id = ? AND consumed_at IS NULL",
      [account.rawValue, client.rawValue])
  }
}
