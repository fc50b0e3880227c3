public import SallyportProtocol
public import SallyportServer

extension SQLiteAccess {
  public func isIdentifierConsumed(_ identifier: Fingerprint) throws(StoreError) -> Bool {
    try self.row("SELECT 1 FROM used_identifier WHERE fingerprint = ?", [identifier]) { _ in true } ?? false
  }

  public func attempts(_ key: Fingerprint, at now: Timestamp) throws(StoreError) -> Int {
    try self.row(
      "SELECT count FROM attempt WHERE fingerprint = ? AND expires_at > ?", [key, now]
    ) { (row) throws(StoreError) in try row[0] } ?? 0
  }

  // The counters of rate limits are in the same table as attempts, under other keys. A counter falls at a constant
  // rate, so only the time at which it will be zero again is stored (`expires_at`). `count` is the time at which the
  // counter was last raised, or less if an earlier version raised it.
  public func limitCounters(_ keys: [Fingerprint], at now: Timestamp) throws(StoreError) -> [Fingerprint: Timestamp] {
    var ends: [Fingerprint: Timestamp] = [:]
    for key in keys {
      ends[key] = try self.row(
        "SELECT expires_at FROM attempt WHERE fingerprint = ? AND count <= ?", [key, now + LimitCounter.tolerance]
      ) { (row) throws(StoreError) in try row.time(0) }
    }
    return ends
  }
}

extension SQLiteTransaction {
  public mutating func consumeIdentifier(_ identifier: Fingerprint, expires: Timestamp) throws(StoreError) -> Bool {
    try self.change(
      "INSERT INTO used_identifier (fingerprint, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
      [identifier, expires]) == 1
  }

  public mutating func countAttempt(_ key: Fingerprint, window: Duration, at now: Timestamp) throws(StoreError) -> Int {
    try self.row(
      """
      INSERT INTO attempt (fingerprint, count, expires_at) VALUES (?1, 1, ?3)
      ON CONFLICT DO UPDATE SET count = CASE WHEN expires_at > ?2 THEN count + 1 ELSE 1 END,
        expires_at = CASE WHEN expires_at > ?2 THEN expires_at ELSE excluded.expires_at END
      RETURNING count
      """,
      [key, now, (now + window)]
      // The statement always returns a row, so the default is never used.
    ) { (row) throws(StoreError) in try row[0] } ?? 1
  }

  public mutating func raiseLimitCounter(_ key: Fingerprint, by interval: Duration, at now: Timestamp) throws(StoreError) {
    _ = try self.change(
      """
      INSERT INTO attempt (fingerprint, count, expires_at) VALUES (?1, ?3, ?2)
      ON CONFLICT DO UPDATE SET count = excluded.count,
        expires_at = CASE WHEN count <= ?5 THEN max(expires_at, ?3) + ?4 ELSE excluded.expires_at END
      """,
      [key, now + interval, now, interval.milliseconds, now + LimitCounter.tolerance])
  }

  public mutating func removeLimitCounter(_ key: Fingerprint) throws(StoreError) {
    _ = try self.change("DELETE FROM attempt WHERE fingerprint = ?", [key])
  }
}
