import SallyportProtocol
import SallyportServer

extension PostgresAccess {
  func clientLease(_ id: ClientID) throws(StoreError) -> ClientLeaseRecord? {
    try self.row("SELECT client_id, last_used_at, expires_at FROM client_lease WHERE client_id = $1", [id.rawValue]) {
      (row) throws(StoreError) in
      try ClientLeaseRecord(client: ClientID(rawValue: row[0]), lastUsedAt: row.time(1), expiresAt: row.optionalTime(2))
    }
  }

  // Each grant that a client obtains sets `last_used_at` of its lease. If `last_used_at` is not later than
  // `created_at`, the client has never obtained a grant.
  func clientsWithoutGrant(_ origin: ClientRecord.Origin, limit: Int) throws(StoreError) -> [ClientID] {
    try self.rows(
      """
      SELECT client_id FROM client_lease
      WHERE expires_at IS NOT NULL
        AND EXISTS (
          SELECT 1 FROM client
          WHERE client.id = client_lease.client_id AND client.origin = $1 AND client.created_at >= client_lease.last_used_at)
        AND NOT EXISTS (SELECT 1 FROM oauth_grant WHERE oauth_grant.client_id = client_lease.client_id)
      ORDER BY expires_at, client_id LIMIT $2
      """, [origin.rawValue, limit]
    ) { (row) throws(StoreError) in ClientID(rawValue: try row[0]) }
  }

  func initialAccessTokens() throws(StoreError) -> [InitialAccessTokenRecord] {
    try self.rows(
      """
      SELECT fingerprint, label, created_at, expires_at, remaining_uses FROM initial_access_token ORDER BY created_at, fingerprint
      """
    ) { (row) throws(StoreError) in
      try InitialAccessTokenRecord(
        fingerprint: row.fingerprint(0), label: row[1], createdAt: row.time(2), expiresAt: row.time(3), remainingUses: row[4])
    }
  }
}

extension PostgresTransaction {
  mutating func put(_ lease: ClientLeaseRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO client_lease (client_id, last_used_at, expires_at) VALUES ($1, $2, $3)
      ON CONFLICT (client_id) DO UPDATE SET last_used_at = excluded.last_used_at, expires_at = excluded.expires_at
      """,
      [lease.client.rawValue, lease.lastUsedAt, lease.expiresAt])
  }

  mutating func insert(_ token: InitialAccessTokenRecord) throws(StoreError) {
    try self.queue(
      "INSERT INTO initial_access_token (fingerprint, label, created_at, expires_at, remaining_uses) VALUES ($1, $2, $3, $4, $5)",
      [
        token.fingerprint, token.label, token.createdAt, token.expiresAt, token.remainingUses,
      ])
  }

  mutating func useInitialAccessToken(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError) -> Bool {
    try self.expectChange(
      """
      UPDATE initial_access_token SET remaining_uses = remaining_uses - 1
      WHERE fingerprint = $1 AND remaining_uses > 0 AND expires_at > $2
      """,
      [fingerprint, now])
  }

  /// - Parameter recorded: Shows that this transaction contains the audit record of the removal.
  mutating func removeInitialAccessToken(
    _ fingerprint: Fingerprint, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    try self.expectChange("DELETE FROM initial_access_token WHERE fingerprint = $1", [fingerprint])
  }
}
