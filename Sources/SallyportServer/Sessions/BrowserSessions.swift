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
    try await self.active(cookie) { (_, _) throws(StoreError) in () }?.session
  }

  /// The session of a cookie, and what else is asked about it in the same state of the store.
  func active<More: Sendable>(
    _ cookie: String?,
    reading more: @escaping @Sendable (_ tx: borrowing any StoreSnapshot, _ session: Active) throws(StoreError) -> More
  ) async throws(StoreError) -> (session: Active, more: More)? {
    guard let cookie, let token = OpaqueToken(.browserSession, cookie) else { return nil }
    let (now, idle, fingerprint) = (self.now(), self.lifetimes.browserSessionIdle, token.fingerprint)
    let found = try await self.store.read { (tx) throws(StoreError) -> (session: Active, more: More)? in
      guard let (record, account) = try tx.browserSessionAndAccount(fingerprint), record.isAlive(at: now, idle: idle),
        account.disabledAt == nil
      else { return nil }
      let session = Active(record: record, account: account)
      return (session, try more(tx, session))
    }
    if let session = found?.session, now - session.record.lastSeenAt > Active.touchInterval {
      try await self.store.write { (tx) throws(StoreError) in try tx.touchBrowserSession(fingerprint, at: now) }
    }
    return found
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
      var old = try previous.flatMap { (it) throws(StoreError) in try tx.browserSession(it) }
      if old?.endedAt != nil { old = nil }
      try Self.start(new, replacing: old, from: origin, at: now, in: &tx)
      return true
    }
    if previous != nil { self.deliveries.send() }
    if !isStarted { self.refusals.note(.signInRefused, .accountChanged, account: account.id, from: origin) }
    return isStarted ? token.text : nil
  }

  /// - Parameter old: the browser's session that still lives.
  private static func start(
    _ new: BrowserSessionRecord, replacing old: BrowserSessionRecord?, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    var new = new
    let own = old?.account == new.account ? old : nil
    if let own {
      new.id = own.id
    } else if let old {
      try SessionEnd.end(old, SessionEnd.Cause(reason: .otherPerson, origin: origin), at: now, in: &tx)
    }
    let recorded = try tx.record(AuditRecord(.signedIn, account: new.account, session: new.id, from: origin, at: now))
    if let own {
      _ = try tx.endBrowserSession(own.fingerprint, at: now, recorded)
      try tx.extendSessionClients(ofSession: own.id, to: new.expiresAt)
    }
    try tx.insert(new)
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
