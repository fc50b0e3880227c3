package import SallyportProtocol

/// The browser sessions of signed-in users.
///
/// Several accounts can be signed in with one browser. Each has a session of its own, and the session cookie contains the
/// tokens of all of them (``SessionCookie``).
package struct BrowserSessions: Sendable {
  let store: any Store
  let lifetimes: Lifetimes
  let now: TimeSource
  /// Signaled when a session may have ended, so that clients are notified of the logout.
  let logoutSignal: WakeSignal
  let rejections: AuditRejections

  /// The maximum number of sessions of an account. If an account has this many, the next sign-in ends the least
  /// recently used one. A program that signs in repeatedly therefore cannot fill the store.
  package static var maximumSessions: Int { 100 }
  /// How long a session on a public device is valid if it is not used.
  package static var publicDeviceIdle: Duration { .seconds(3_600) }
  /// The time after sign-in at which a session on a public device expires, whether or not it is used.
  package static var publicDeviceLifetime: Duration { .seconds(8 * 3_600) }

  /// A valid session and its account.
  package struct Active: Sendable {
    package let record: BrowserSessionRecord
    package let account: AccountRecord
    let token: Secret<String>
    /// The time after an authentication in which the user may make sensitive changes.
    package static var recentAuthenticationLifetime: Duration { .seconds(600) }

    /// The minimum time between updates of ``BrowserSessionRecord/lastSeenAt``, so that most page views write nothing.
    var touchInterval: Duration { self.record.isOnPublicDevice ? .seconds(300) : .seconds(3_600) }

    package func isRecentlyAuthenticated(at now: Timestamp) -> Bool { self.record.isRecentlyAuthenticated(at: now) }
  }

  /// Returns the default session of a cookie: the first one that has not ended or expired, and whose account is enabled. Nil
  /// if there is none.
  package func active(_ cookie: String?) async throws(StoreError) -> Active? {
    try await self.active(cookie) { (_, _) throws(StoreError) in () }?.session
  }

  /// Returns the default session of a cookie, and what `more` reads in the same snapshot of the store.
  func active<More: Sendable>(
    _ cookie: String?,
    reading more: @escaping @Sendable (_ tx: borrowing any StoreSnapshot, _ session: Active) throws(StoreError) -> More
  ) async throws(StoreError) -> (session: Active, more: More)? {
    let found = try await self.all(cookie) { (tx, sessions) throws(StoreError) -> (session: Active, more: More)? in
      try sessions.first.map { (session) throws(StoreError) in (session, try more(tx, session)) }
    }
    return found.more.flatMap(\.self)
  }

  /// Returns all valid sessions of a cookie, the default one first. No two of them have the same account.
  package func all(_ cookie: String?) async throws(StoreError) -> [Active] {
    try await self.all(cookie) { (_, _) throws(StoreError) in () }.sessions
  }

  /// Returns all valid sessions of a cookie, and what `more` reads in the same snapshot of the store. Nothing is read if the
  /// cookie contains no token.
  func all<More: Sendable>(
    _ cookie: String?,
    reading more: @escaping @Sendable (_ tx: borrowing any StoreSnapshot, _ sessions: [Active]) throws(StoreError) -> More
  ) async throws(StoreError) -> (sessions: [Active], more: More?) {
    let (now, idle, tokens) = (self.now(), self.lifetimes.browserSessionIdle, SessionCookie.tokens(in: cookie))
    guard !tokens.isEmpty else { return ([], nil) }
    let found = try await self.store.read { (tx) throws(StoreError) -> (sessions: [Active], more: More?) in
      var sessions: [Active] = []
      for token in tokens {
        guard let (record, account) = try tx.browserSessionAndAccount(token.fingerprint), record.isValid(at: now, idle: idle),
          account.disabledAt == nil, !sessions.contains(where: { $0.account.id == account.id })
        else { continue }
        sessions.append(Active(record: record, account: account, token: token.text))
      }
      return (sessions, try more(tx, sessions))
    }
    // On a public device, only the default session is extended. The use of one account must not extend the session of
    // another one.
    let used = found.sessions.enumerated().filter { $0.offset == 0 || !$0.element.record.isOnPublicDevice }.map(\.element)
    let stale = used.filter { now - $0.record.lastSeenAt > $0.touchInterval }.map(\.record.fingerprint)
    if !stale.isEmpty {
      try await self.store.write { (tx) throws(StoreError) in
        for fingerprint in stale { try tx.touchBrowserSession(fingerprint, at: now) }
      }
    }
    return found
  }

  /// Returns a cookie whose default session is the session of another account.
  /// - Returns: The new cookie; nil if the account is not signed in with this browser.
  package func cookie(_ cookie: String?, startingWith account: AccountID) async throws(StoreError) -> SessionCookie? {
    let sessions = try await self.all(cookie)
    guard let chosen = sessions.first(where: { $0.account.id == account }) else { return nil }
    return SessionCookie([chosen] + sessions.filter { $0.account.id != account })
  }

  /// Returns a cookie without the sessions that have ended; nil if none is left.
  package func cookieWithoutEnded(_ cookie: String?) async throws(StoreError) -> SessionCookie? {
    SessionCookie(try await self.all(cookie))
  }
}

extension BrowserSessionRecord {
  /// Whether the user was authenticated recently enough for a sensitive change, such as a new password. A stolen cookie
  /// does not suffice after this time.
  func isRecentlyAuthenticated(at now: Timestamp) -> Bool {
    now - self.authenticatedAt < BrowserSessions.Active.recentAuthenticationLifetime
  }

  /// - Parameter idle: How long a session is valid if it is not used. On a public device, it is valid for at most
  ///   ``BrowserSessions/publicDeviceIdle``.
  func isValid(at now: Timestamp, idle: Duration) -> Bool {
    let idle = self.isOnPublicDevice ? min(idle, BrowserSessions.publicDeviceIdle) : idle
    return self.endedAt == nil && now < self.expiresAt && now < self.lastSeenAt + idle
  }
}
