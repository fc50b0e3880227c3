import SallyportProtocol
import SallyportServer

extension PostgresAccess {
  func nextMailTime() throws(StoreError) -> Timestamp? {
    // Without mail, the query returns one row with NULL.
    try self.row("SELECT min(due_at) FROM mail") { (row) throws(StoreError) in try row.optionalTime(0) } ?? nil
  }

  func mails() throws(StoreError) -> [MailRecord] {
    try self.rows("SELECT \(Columns.mail.text) FROM mail ORDER BY due_at, id", [], Self.mail)
  }

  fileprivate static func mail(_ row: ResultRow) throws(StoreError) -> MailRecord {
    try MailRecord(
      id: row[0], recipient: row[1], content: row[2], sealedLink: row.optionalBytes(3), attempts: row[4], createdAt: row.time(5),
      dueAt: row.time(6), expiresAt: row.time(7))
  }
}

extension PostgresTransaction {
  mutating func insert(_ mail: MailRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO mail (id, recipient, content, sealed_link, attempts, created_at, due_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      """,
      [
        mail.id, mail.recipient, mail.content, mail.sealedLink, mail.attempts, mail.createdAt, mail.dueAt, mail.expiresAt,
      ])
  }

  /// A message that another server is claiming is skipped.
  mutating func claimMail(retry: Timestamp, at now: Timestamp) throws(StoreError) -> MailRecord? {
    try self.returning(
      """
      UPDATE mail SET attempts = attempts + 1, due_at = $1 WHERE id = (
        SELECT id FROM mail WHERE due_at <= $2 AND expires_at > $2
        ORDER BY due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING \(Columns.mail.text)
      """,
      [retry, now], Self.mail
    ).first
  }

  mutating func postponeMail(_ id: String, to time: Timestamp) throws(StoreError) {
    try self.queue("UPDATE mail SET due_at = $1 WHERE id = $2", [time, id])
  }

  mutating func removeMail(_ id: String) throws(StoreError) -> Bool {
    try self.expectChange("DELETE FROM mail WHERE id = $1", [id])
  }
}
