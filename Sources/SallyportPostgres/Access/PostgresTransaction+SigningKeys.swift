import SallyportProtocol
import SallyportServer

extension PostgresAccess {
  func signingKeys() throws(StoreError) -> [SigningKeyRecord] {
    try self.rows(
      """
      SELECT id, algorithm, sealed_private_key, created_at, active_at, retired_at, removed_at FROM signing_key
      ORDER BY created_at, id
      """
    ) { (row) throws(StoreError) in
      try SigningKeyRecord(
        id: row[0], algorithm: row[1], sealedPrivateKey: row.bytes(2), createdAt: row.time(3), activeAt: row.time(4),
        retiredAt: row.optionalTime(5), removedAt: row.optionalTime(6))
    }
  }
}

extension PostgresTransaction {
  mutating func insert(_ key: SigningKeyRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO signing_key (id, algorithm, sealed_private_key, created_at, active_at, retired_at, removed_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        key.id, key.algorithm, key.sealedPrivateKey, key.createdAt, key.activeAt,
        key.retiredAt, key.removedAt,
      ])
  }

  mutating func retireSigningKey(
    _ id: String, at retired: Timestamp, removedAt: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    // `recorded` is not stored: it only proves that this transaction contains the audit record of the change.
    // A time that is already set can only become earlier.
    try self.expectChange(
      """
      UPDATE signing_key
      SET retired_at = least(coalesce(retired_at, $1), $1), removed_at = least(coalesce(removed_at, $2), $2)
      WHERE id = $3
      """,
      [retired, removedAt, id])
  }
}
