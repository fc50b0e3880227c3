public import SallyportProtocol
public import SallyportServer

private let sessionByFingerprint = "SELECT \(Columns.browserSession.text) FROM browser_session WHERE fingerprint = ?"
private let sessionAndAccount = """
  SELECT \(Columns.browserSession.text), \(Columns.account.text)
  FROM browser_session JOIN account ON account.id = account_id WHERE fingerprint = ?
  """
private let confirmedSession = """
  SELECT 1 FROM browser_session WHERE fingerprint = ? AND ended_at IS NULL AND expires_at > ? AND last_seen_at > ?
  """

extension SQLiteAccess {
  public func browserSession(_ fingerprint: Fingerprint) throws(StoreError) -> BrowserSessionRecord? {
    try self.row(sessionByFingerprint, [fingerprint], Self.browserSession)
  }

  public func browserSessionAndAccount(
    _ fingerprint: Fingerprint
  ) throws(StoreError) -> (session: BrowserSessionRecord, account: AccountRecord)? {
    try self.row(sessionAndAccount, [fingerprint]) { (row) throws(StoreError) in
      (try Self.browserSession(row), try Self.account(row.droppingFirst(Columns.browserSession.count)))
    }
  }

  public func browserSessions(of account: AccountID) throws(StoreError) -> [BrowserSessionRecord] {
    try self.rows(
      "SELECT \(Columns.browserSession.text) FROM browser_session WHERE account_id = ? AND ended_at IS NULL",
      [account.rawValue], Self.browserSession)
  }

  public func browserSession(withID id: String) throws(StoreError) -> BrowserSessionRecord? {
    try self.row(
      "SELECT \(Columns.browserSession.text) FROM browser_session WHERE sid = ? AND ended_at IS NULL", [id],
      Self.browserSession)
  }

  public func browserSessions(
    ofUpstream issuer: String, subject: String
  ) throws(StoreError) -> [BrowserSessionRecord] {
    try self.rows(
      """
      SELECT \(Columns.browserSession.text) FROM browser_session
      WHERE upstream_subject = ? AND upstream_issuer = ? AND ended_at IS NULL
      """, [subject, issuer], Self.browserSession)
  }

  public func browserSessions(
    ofUpstream issuer: String, sessionID: String
  ) throws(StoreError) -> [BrowserSessionRecord] {
    try self.rows(
      """
      SELECT \(Columns.browserSession.text) FROM browser_session
      WHERE upstream_sid = ? AND upstream_issuer = ? AND ended_at IS NULL
      """, [sessionID, issuer], Self.browserSession)
  }

  static func browserSession(_ row: ResultRow) throws(StoreError) -> BrowserSessionRecord {
    let (issuer, subject, sessionID): (String?, String?, String?) = try (row[11], row[12], row[13])
    let upstream = issuer.flatMap { issuer in
      subject.map { UpstreamSession(issuer: issuer, subject: $0, sessionID: sessionID) }
    }
    return try BrowserSessionRecord(
      fingerprint: row.fingerprint(0), id: row[1], account: AccountID(rawValue: row[2]), authenticatedAt: row.time(3),
      authenticationMethods: row.words(9), lastSeenAt: row.time(4), expiresAt: row.time(5), endedAt: row.optionalTime(6),
      userAgent: row[7], address: row[8], isOnPublicDevice: row[10], upstream: upstream)
  }
}

extension SQLiteTransaction {
  public mutating func insert(_ session: BrowserSessionRecord) throws(StoreError) {
    try self.change(
      """
      INSERT INTO browser_session (fingerprint, sid, account_id, authenticated_at, last_seen_at, expires_at, ended_at, user_agent,
        address, amr, is_public, upstream_issuer, upstream_subject, upstream_sid)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        session.fingerprint, session.id, session.account.rawValue, session.authenticatedAt,
        session.lastSeenAt, session.expiresAt, session.endedAt, session.userAgent, session.address,
        session.authenticationMethods.joined(separator: " "), session.isOnPublicDevice,
        session.upstream?.issuer, session.upstream?.subject, session.upstream?.sessionID,
      ])
  }

  public mutating func touchBrowserSession(_ fingerprint: Fingerprint, at now: Timestamp) throws(StoreError) {
    try self.change(
      "UPDATE browser_session SET last_seen_at = ?1 WHERE fingerprint = ?2 AND last_seen_at < ?1 AND ended_at IS NULL",
      [now, fingerprint])
  }

  public mutating func confirmBrowserSession(
    _ fingerprint: Fingerprint, at now: Timestamp, seenAfter limit: Timestamp
  ) throws(StoreError) -> Bool {
    try self.row(confirmedSession, [fingerprint, now, limit]) { _ in true } ?? false
  }

  // `recorded` is not stored: it only proves that this transaction contains the audit record of the change.
  public mutating func endBrowserSession(
    _ fingerprint: Fingerprint, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) -> Bool {
    try self.change(
      "UPDATE browser_session SET ended_at = ? WHERE fingerprint = ? AND ended_at IS NULL",
      [now, fingerprint]) == 1
  }

  public mutating func endBrowserSessions(
    of account: AccountID, at now: Timestamp, _ recorded: borrowing Recorded
  ) throws(StoreError) {
    try self.change(
      "UPDATE browser_session SET ended_at = ? WHERE account_id = ? AND ended_at IS NULL",
      [now, account.rawValue])
  }

  // The table of consumed interactions keeps its original name, because released migrations are never changed.
  public mutating func consumeInteraction(_ id: String, expires: Timestamp) throws(StoreError) -> Bool {
    try self.change(
      "INSERT INTO burned_interaction (id, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING", [id, expires]) == 1
  }
}

extension SQLiteAccess {
  public func isInteractionConsumed(_ id: String) throws(StoreError) -> Bool {
    try self.row("SELECT 1 FROM burned_interaction WHERE id = ?", [id]) { _ in true } ?? false
  }
}
