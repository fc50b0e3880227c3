package import SallyportProtocol

/// Who is signed in in a browser.
package struct BrowserSessions<S: Store>: Sendable {
  let store: S
  let lifetimes: Lifetimes
  let now: TimeSource

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

  /// A new session for an account that has just proved who it is; the browser's earlier session ends with it.
  /// - Returns: nil where the password was changed or the account disabled while the old password was being checked.
  package func start(for account: AccountRecord, replacing cookie: String?) async throws(StoreError) -> Secret<String>? {
    let (now, token) = (self.now(), OpaqueToken.random(.browserSession))
    let record = BrowserSessionRecord(
      fingerprint: token.fingerprint, account: account.id, authenticatedAt: now, lastSeenAt: now,
      expiresAt: now + self.lifetimes.browserSession)
    let previous = cookie.flatMap { OpaqueToken(.browserSession, $0)?.fingerprint }
    let isStarted = try await self.store.write { (tx) throws(StoreError) -> Bool in
      guard let current = try tx.account(account.id), current.disabledAt == nil,
        current.passwordChangedAt == account.passwordChangedAt
      else { return false }
      if let previous { _ = try tx.endBrowserSession(previous, at: now) }
      try tx.insert(record)
      return true
    }
    return isStarted ? token.text : nil
  }

  package func end(_ cookie: String?) async throws(StoreError) {
    guard let fingerprint = cookie.flatMap({ OpaqueToken(.browserSession, $0)?.fingerprint }) else { return }
    let now = self.now()
    _ = try await self.store.write { (tx) throws(StoreError) in try tx.endBrowserSession(fingerprint, at: now) }
  }
}

extension BrowserSessionRecord {
  func isAlive(at now: Timestamp, idle: Duration) -> Bool {
    self.endedAt == nil && now < self.expiresAt && now < self.lastSeenAt + idle
  }
}
