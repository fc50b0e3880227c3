import SallyportProtocol
import SallyportServer

private let sessionByFingerprint = "SELECT \(Columns.browserSession.text) FROM browser_session WHERE fingerprint = $1"
private let sessionAndAccount = """
  SELECT \(Columns.browserSession.text), \(Columns.account.text)
  FROM browser_session JOIN account ON account.id = account_id WHERE fingerprint = $1
  """
private let confirmedSession = """
  SELECT 1 FROM browser_session WHERE fingerprint = $1 AND ended_at IS NULL AND expires_at > $2 AND last_seen_at > $3
  """

extension PostgresAccess {
  func browserSession(_ fingerprint: Fingerprint) throws(StoreError) -> BrowserSessionRecord? {
    try self.row(sessionByFingerprint, [fingerprint], Self.browserSession)
  }

  func browserSessionAndAccount(
    _ fingerprint: Fingerprint
  ) throws(StoreError) -> (session: BrowserSessionRecord, account: AccountRecord)? {
    try self.row(sessionAndAccount, [fingerprint]) { (row) throws(StoreError) in
      (try Self.browserSession(row), try Self.account(row.droppingFirst(Columns.browserSession.count)))
    }
  }

  func browserSessions(of account: AccountID) throws(StoreError) -> [BrowserSessionRecord] {
    try self.rows(
      "SELECT \(Columns.browserSession.text) FROM browser_session WHERE account_id = $1 AND ended_at IS NULL",
      [account.rawValue], Self.browserSession)
  }

  func browserSession(withID id: String) throws(StoreError) -> BrowserSessionRecord? {
    try self.row(
      "SELECT \(Columns.browserSession.text) FROM browser_session WHERE sid = $1 AND ended_at IS NULL", [id],
      Self.browserSession)
  }

  func browserSessions(
    ofUpstream issuer: String, subject: String
  ) throws(StoreError) -> [BrowserSessionRecord] {
    try self.rows(
      """
      SELECT \(Columns.browserSession.text) FROM browser_session
      WHERE upstream_subject = $1 AND upstream_issuer = $2 AND ended_at IS NULL
      """, [subject, issuer], Self.browserSession)
  }

  func browserSessions(
    ofUpstream issuer: String, sessionID: String
  ) throws(StoreError) -> [BrowserSessionRecord] {
    try self.rows(
      """
      SELECT \(Columns.browserSession.text) FROM browser_session
      WHERE upstream_sid = $1 AND upstream_issuer = $2 AND ended_at IS NULL
      """, [sessionID, issuer], Self.browserSession)
  }

  /// - Parameter row: A row that begins with the columns of ``Columns/browserSession``, which are read by position.
  static func browserSession(_ row: ResultRow) throws(StoreError) -> BrowserSessionRecord {
    let (issuer, subject, sessionID): (String?, String?, String?) = try (row[11], row[12], row[13])
    let upstream: UpstreamSession? =
      if let issuer, let subject { UpstreamSession(issuer: issuer, subject: subject, sessionID: sessionID) } else { nil }
    return try BrowserSessionRecord(
      fingerprint: row.fingerprint(0), id: row[1], account: AccountID(rawValue: row[2]), authenticatedAt: row.time(3),
      authenticationMethods: row.words(9), lastSeenAt: row.time(4), expiresAt: row.time(5), endedAt: row.optionalTime(6),
      userAgent: row[7], address: row[8], isOnPublicDevice: row[10], upstream: upstream)
  }
}

extension PostgresTransaction {
  mutating func insert(_ session: BrowserSessionRecord) throws(StoreError) {
    try self.queue(
      """
      INSERT INTO browser_session (fingerprint, sid, account_id, authenticated_at, last_seen_at, expires_at, ended_at, user_agent,
        address, amr, is_public, upstream_issuer, upstream_subject, upstream_sid)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
      """,
      [
        session.fingerprint, session.id, session.account.rawValue, session.authenticatedAt,
        session.lastSeenAt, session.expiresAt, session.endedAt, session.userAgent, session.address,
        session.authenticationMethods.joined(separator: " "), session.isOnPublicDevice,
        session.upstream?.issuer, session.upstream?.subject, session.upstream?.sessionID,
      ])
  }

  mutating func touchBrowserSession(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError) {
    try self.queue(
      "UPDATE browser_session SET last_seen_at = $1 WHERE fingerprint = $2 AND last_seen_at < $1 AND ended_at IS NULL",
      [now, fingerprint])
  }

  mutating func confirmBrowserSession(
    _ fingerprint: Fingerprint, at now: Timestamp, seenAfter limit: Timestamp
  ) throws(StoreError) -> Bool {
    try self.expectRow(confirmedSession, [fingerprint, now, limit])
  }

  /// - Parameter recorded: Shows that this transaction contains the audit record of the change.
  mutating func endBrowserSession(
    _ fingerprint: Fingerprint, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    try self.expectChange(
      "UPDATE browser_session SET ended_at = $1 WHERE fingerprint = $2 AND ended_at IS NULL",
      [now, fingerprint])
  }

  mutating func endBrowserSessions(
    of account: AccountID, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    try self.queue(
      "UPDATE browser_session SET ended_at = $1 WHERE account_id = $2 AND ended_at IS NULL",
      [now, account.rawValue])
  }

  mutating func consumeInteraction(_ id: String, expires: Timestamp) throws(StoreError) -> Bool {
    try self.expectChange(
      "INSERT INTO consumed_interaction (id, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING", [id, expires])
  }
}

extension PostgresAccess {
  func isInteractionConsumed(_ id: String) throws(StoreError) -> Bool {
    try self.row("SELECT 1 FROM consumed_interaction WHERE id = $1", [id]) { _ in true } ?? false
  }
}
