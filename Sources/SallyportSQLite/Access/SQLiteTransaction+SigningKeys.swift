public import SallyportProtocol
public import SallyportServer

extension SQLiteAccess {
  public func signingKeys() throws(StoreError) -> [SigningKeyRecord] {
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

extension SQLiteTransaction {
  public mutating func insert(_ key: SigningKeyRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO signing_key (id, algorithm, sealed_private_key, created_at, active_at, retired_at, removed_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        key.id, key.algorithm, key.sealedPrivateKey, key.createdAt, key.activeAt,
        key.retiredAt, key.removedAt,
      ])
  }

  // `recorded` is not stored: it only proves that this transaction contains the audit record of the change.
  public mutating func retireSigningKey(
    _ id: String, at retired: Timestamp, removedAt: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    // A time that is already set can only become earlier.
    try self.change(
      """
      UPDATE signing_key
      SET retired_at = min(coalesce(retired_at, ?1), ?1), removed_at = min(coalesce(removed_at, ?2), ?2)
      WHERE id = ?3
      """,
      [retired, removedAt, id]) == 1
  }
}
