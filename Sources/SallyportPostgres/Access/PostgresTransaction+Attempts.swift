import SallyportProtocol
import SallyportServer

extension PostgresAccess {
  func isIdentifierConsumed(_ identifier: Fingerprint) throws(StoreError) -> Bool {
    try self.row("SELECT 1 FROM used_identifier WHERE fingerprint = $1", [identifier]) { _ in true } ?? false
  }

  func attempts(_ key: Fingerprint, at now: Timestamp) throws(StoreError) -> Int {
    try self.row(
      "SELECT count FROM attempt WHERE fingerprint = $1 AND expires_at > $2", [key, now]
    ) { (row) throws(StoreError) in try row[0] } ?? 0
  }

  // The counters of rate limits are in the same table as attempts, under other keys. A counter is stored as the time at
  // which it will be zero again (`expires_at`). `count` is the time at which the counter was last raised, or less if an
  // earlier version raised it.
  func limitCounters(_ keys: [Fingerprint], at now: Timestamp) throws(StoreError) -> [Fingerprint: Timestamp] {
    guard !keys.isEmpty else { return [:] }
    let placeholders = keys.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let arguments = keys.map { $0 as any StatementArgument } + [now + LimitCounter.tolerance]
    let ends = try self.rows(
      """
      SELECT fingerprint, expires_at FROM attempt WHERE fingerprint IN (\(placeholders)) AND count <= $\(arguments.count)
      """, arguments
    ) { (row) throws(StoreError) in (try row.fingerprint(0), try row.time(1)) }
    return Dictionary(ends) { $1 }
  }
}

extension PostgresTransaction {
  mutating func consumeIdentifier(_ identifier: Fingerprint, expires: Timestamp) throws(StoreError) -> Bool {
    try self.expectChange(
      "INSERT INTO used_identifier (fingerprint, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [identifier, expires])
  }

  // The statement always returns a row, so `?? 1` only satisfies the compiler.
  mutating func countAttempt(_ key: Fingerprint, window: Duration, at now: Timestamp) throws(StoreError) -> Int {
    try self.returning(
      """
      INSERT INTO attempt (fingerprint, count, expires_at) VALUES ($1, 1, $3)
      ON CONFLICT (fingerprint) DO UPDATE
        SET count = CASE WHEN attempt.expires_at > $2 THEN attempt.count + 1 ELSE 1 END,
          expires_at = CASE WHEN attempt.expires_at > $2 THEN attempt.expires_at ELSE excluded.expires_at END
      RETURNING count
      """,
      [key, now, now + window]
    ) { (row) throws(StoreError) in try row[0] }.first ?? 1
  }

  mutating func raiseLimitCounter(_ key: Fingerprint, by interval: Duration, at now: Timestamp) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO attempt (fingerprint, count, expires_at) VALUES ($1, $3, $2)
      ON CONFLICT (fingerprint) DO UPDATE SET count = excluded.count,
        expires_at = CASE WHEN attempt.count <= $5 THEN greatest(attempt.expires_at, $3) + $4 ELSE excluded.expires_at END
      """,
      [key, now + interval, now, interval.milliseconds, now + LimitCounter.tolerance])
  }

  mutating func removeLimitCounter(_ key: Fingerprint) throws(StoreError) {
    try self.queue("DELETE FROM attempt WHERE fingerprint = $1", [key])
  }
}
