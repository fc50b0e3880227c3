package import SallyportProtocol

/// Who is signed in in a browser.
package struct BrowserSessions: Sendable {
  let store: any Store
  let lifetimes: Lifetimes
  let now: TimeSource
  /// Sent where a session has ended.
  let deliveries: WakeSignal
  let refusals: AuditRefusals

  /// A session that is alive, with its account.
  package struct Active: Sendable {
    package let record: BrowserSessionRecord
    package let account: AccountRecord
    /// What was seen of the session is written at most so often: a page view writes nothing.
    static var touchInterval: Duration { .seconds(3600) }
  }

  /// The session of a cookie; nil for none, one that ended, or an account that was disabled.
  package func active(_ cookie: String?) async throws(StoreError) -> Active? {
    guard let cookie, let token = OpaqueToken(.browserSession, cookie) else { return nil }
    let (now, idle, fingerprint) = (self.now(), self.lifetimes.browserSessionIdle, token.fingerprint)
    let active = try await self.store.read { (tx) throws(StoreError) -> Active? in
      guard let record = try tx.browserSession(fingerprint), record.isAlive(at: now, idle: idle),
        let account = try tx.account(record.account), account.disabledAt == nil
      else { return nil }
      return Active(record: record, account: account)
    }
    if let active, now - active.record.lastSeenAt > Active.touchInterval {
      try await self.store.write { (tx) throws(StoreError) in try tx.touchBrowserSession(fingerprint, at: now) }
    }
    return active
  }

  /// A new session for an account that has just proved who it is; the browser's earlier session ends with it. For the apps that the same
  /// person is signed in to it is the session of before. Those of another person are signed out.
  /// - Returns: nil where the password was changed or the account disabled while the old password was being checked.
  package func start(
    for account: AccountRecord, replacing cookie: String?, from origin: AuditOrigin
  ) async throws(StoreError) -> Secret<String>? {
    let (now, token) = (self.now(), OpaqueToken.random(.browserSession))
    let new = BrowserSessionRecord(
      fingerprint: token.fingerprint, id: RandomText.base64URL(bits: 128), account: account.id, authenticatedAt: now,
      lastSeenAt: now, expiresAt: now + self.lifetimes.browserSession)
    let previous = cookie.flatMap { OpaqueToken(.browserSession, $0)?.fingerprint }
    let isStarted = try await self.store.write { (tx) throws(StoreError) -> Bool in
      guard let current = try tx.account(account.id), current.disabledAt == nil,
        current.passwordChangedAt == account.passwordChangedAt
      else { return false }
      var record = new
      if let old = try previous.flatMap({ (it) throws(StoreError) in try tx.browserSession(it) }), old.endedAt == nil {
        try Self.replace(old, by: &record, from: origin, at: now, in: &tx)
      }
      try tx.insert(record)
      try tx.insert(AuditRecord(.signedIn, account: account.id, session: record.id, from: origin, at: now))
      return true
    }
    if previous != nil { self.deliveries.send() }
    if !isStarted { self.refusals.note(.signInRefused, .accountChanged, account: account.id, from: origin) }
    return isStarted ? token.text : nil
  }

  private static func replace(
    _ old: BrowserSessionRecord, by new: inout BrowserSessionRecord, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    guard old.account == new.account else {
      return try SessionEnd.end(old, SessionEnd.Cause(reason: .otherPerson, origin: origin), at: now, in: &tx)
    }
    new.id = old.id
    _ = try tx.endBrowserSession(old.fingerprint, at: now)
    try tx.extendSessionClients(ofSession: old.id, to: new.expiresAt)
  }

  /// The person signs out.
  /// - Parameter request: what an app asked for, which the person has agreed to.
  package func end(_ cookie: String?, for request: LogoutRequest, from origin: AuditOrigin) async throws(StoreError) {
    guard let fingerprint = cookie.flatMap({ OpaqueToken(.browserSession, $0)?.fingerprint }) else { return }
    let now = self.now()
    let cause = SessionEnd.Cause(reason: request.auditReason, client: request.client?.id, origin: origin)
    try await self.store.write { (tx) throws(StoreError) in
      guard let record = try tx.browserSession(fingerprint) else { return }
      try SessionEnd.end(record, cause, at: now, in: &tx)
    }
    self.deliveries.send()
  }
}

extension BrowserSessionRecord {
  func isAlive(at now: Timestamp, idle: Duration) -> Bool {
    self.endedAt == nil && now < self.expiresAt && now < self.lastSeenAt + idle
  }
}
