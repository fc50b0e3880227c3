public import SallyportProtocol
public import SallyportServer

extension SQLiteAccess {
  public func nextMailTime() throws(StoreError) -> Timestamp? {
    // Without mail, `min` returns one row with NULL.
    try self.row("SELECT min(due_at) FROM mail") { (row) throws(StoreError) in try row.optionalTime(0) } ?? nil
  }

  public func mails() throws(StoreError) -> [MailRecord] {
    try self.rows("SELECT \(Columns.mail.text) FROM mail ORDER BY due_at, id", [], Self.mail)
  }

  fileprivate static func mail(_ row: ResultRow) throws(StoreError) -> MailRecord {
    try MailRecord(
      id: row[0], recipient: row[1], content: row[2], sealedLink: row.optionalBytes(3), attempts: row[4], createdAt: row.time(5),
      dueAt: row.time(6), expiresAt: row.time(7))
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ mail: MailRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO mail (id, recipient, content, sealed_link, attempts, created_at, due_at, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        mail.id, mail.recipient, mail.content, mail.sealedLink, mail.attempts, mail.createdAt, mail.dueAt, mail.expiresAt,
      ])
  }

  public mutating func claimMail(retry: Timestamp, at now: Timestamp) throws(StoreError) -> MailRecord? {
    try self.row(
      """
      UPDATE mail SET attempts = attempts + 1, due_at = ?1 WHERE id = (
        SELECT id FROM mail WHERE due_at <= ?2 AND expires_at > ?2
        ORDER BY due_at, id LIMIT 1)
      RETURNING \(Columns.mail.text)
      """,
      [retry, now], Self.mail)
  }

  public mutating func postponeMail(_ id: String, to time: Timestamp) throws(StoreError) {
    try self.change("UPDATE mail SET due_at = ? WHERE id = ?", [time, id])
  }

  public mutating func removeMail(_ id: String) throws(StoreError) -> Bool {
    try self.change("DELETE FROM mail WHERE id = ?", [id]) == 1
  }
}
