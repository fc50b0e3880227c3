package import SallyportProtocol

/// The browser sessions of signed-in users.
///
/// Several accounts can be signed in with one browser. Each has a session of its own, and the session cookie contains
/// the tokens of all of them (``SessionCookie``).
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

    package func isRecentlyAuthenticated(at now: Timestamp) -> Bool { self.record.isRecentlyAuthenticated(at: now) }
  }

  /// Returns the default session of a cookie: the first one that has not ended or expired, and whose account is
  /// enabled. Nil if there is none.
  package func active(_ cookie: String?) async throws(StoreError) -> Active? {
    try await self.active(cookie) { (_, _) throws(StoreError) in () }?.session
  }

  /// Returns the default session of a cookie, and the value that `read` reads in the same snapshot of the store.
  func active<Value: Sendable>(
    _ cookie: String?,
    reading read: @escaping @Sendable (_ tx: borrowing any StoreSnapshot, _ session: Active) throws(StoreError) -> Value
  ) async throws(StoreError) -> (session: Active, value: Value)? {
    let found = try await self.all(cookie) { (tx, sessions) throws(StoreError) -> (session: Active, value: Value)? in
      try sessions.first.map { (session) throws(StoreError) in (session, try read(tx, session)) }
    }
    // `found.value` is nil if the cookie contains no token, and contains nil if no session is valid.
    return found.value.flatMap(\.self)
  }

  /// Returns all valid sessions of a cookie, the default one first. No two of them have the same account.
  package func all(_ cookie: String?) async throws(StoreError) -> [Active] {
    try await self.all(cookie) { (_, _) throws(StoreError) in () }.sessions
  }

  /// Returns all valid sessions of a cookie, and the value that `read` reads in the same snapshot of the store. Nothing
  /// is read if the cookie contains no token.
  private func all<Value: Sendable>(
    _ cookie: String?,
    reading read: @escaping @Sendable (_ tx: borrowing any StoreSnapshot, _ sessions: [Active]) throws(StoreError) -> Value
  ) async throws(StoreError) -> (sessions: [Active], value: Value?) {
    let (now, idle, tokens) = (self.now(), self.lifetimes.browserSessionIdle, SessionCookie.tokens(in: cookie))
    guard !tokens.isEmpty else { return ([], nil) }
    let found = try await self.store.read { (tx) throws(StoreError) -> (sessions: [Active], value: Value?) in
      let sessions = try Self.valid(tokens, at: now, idle: idle) { (fingerprint) throws(StoreError) in
        try tx.browserSessionAndAccount(fingerprint).map { ($0.session, $0.account, ()) }
      }.map(\.session)
      return (sessions, try read(tx, sessions))
    }
    try await self.touch(found.sessions, at: now)
    return found
  }

  /// Returns all valid sessions of a cookie, the default one first, each with the account's consents for a client and
  /// redirect URI. With PostgreSQL, this takes one round trip for each session.
  func allWithConsents(
    _ cookie: String?, client: ClientID, redirectURI: String
  ) async throws(StoreError) -> [(session: Active, consents: [ConsentRecord])] {
    let (now, idle, tokens) = (self.now(), self.lifetimes.browserSessionIdle, SessionCookie.tokens(in: cookie))
    guard !tokens.isEmpty else { return [] }
    let found = try await self.store.read { (tx) throws(StoreError) in
      try Self.valid(tokens, at: now, idle: idle) { (fingerprint) throws(StoreError) in
        try tx.browserSession(fingerprint, withConsentsFor: client, redirectURI: redirectURI)
      }
    }
    try await self.touch(found.map(\.session), at: now)
    return found.map { ($0.session, $0.value) }
  }

  /// Returns the sessions that are valid, and what `find` read with them. If several sessions have the same account,
  /// only the first of them is returned.
  private static func valid<Value>(
    _ tokens: [OpaqueToken], at now: Timestamp, idle: Duration,
    _ find: (Fingerprint) throws(StoreError) -> (BrowserSessionRecord, AccountRecord, Value)?
  ) throws(StoreError) -> [(session: Active, value: Value)] {
    var found: [(session: Active, value: Value)] = []
    for token in tokens {
      guard let (record, account, value) = try find(token.fingerprint), record.isValid(at: now, idle: idle),
        account.disabledAt == nil, !found.contains(where: { $0.session.account.id == account.id })
      else { continue }
      found.append((Active(record: record, account: account, token: token.text), value))
    }
    return found
  }

  /// Records that the sessions of a cookie were used.
  private func touch(_ sessions: [Active], at now: Timestamp) async throws(StoreError) {
    // On a public device, only the default session is extended. The use of one account must not extend the session of
    // another one.
    let used = sessions.enumerated().filter { $0.offset == 0 || !$0.element.record.isOnPublicDevice }.map(\.element)
    let idle = self.lifetimes.browserSessionIdle
    let stale = used.map(\.record).filter { now - $0.lastSeenAt > $0.touchInterval(idle: idle) }.map(\.fingerprint)
    guard !stale.isEmpty else { return }
    try await self.store.write { (tx) throws(StoreError) in
      for fingerprint in stale { try tx.touchBrowserSession(fingerprint, at: now) }
    }
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
  /// Whether the user was authenticated recently enough for a sensitive change, such as a new password. Later,
  /// the user must sign in again, so that a stolen cookie is not enough for such a change.
  func isRecentlyAuthenticated(at now: Timestamp) -> Bool {
    now - self.authenticatedAt < BrowserSessions.Active.recentAuthenticationLifetime
  }

  /// - Parameter idle: How long a session is valid if it is not used. On a public device, it is valid for at most
  ///   ``BrowserSessions/publicDeviceIdle``.
  func isValid(at now: Timestamp, idle: Duration) -> Bool {
    self.endedAt == nil && now < self.expiresAt && self.idleLimit(at: now, idle: idle) < self.lastSeenAt
  }

  /// Returns a time in the past: a session that was last used at this time or earlier is no longer valid.
  func idleLimit(at now: Timestamp, idle: Duration) -> Timestamp { now - self.maximumIdle(idle) }

  /// The minimum time between updates of ``lastSeenAt``, so that most page views write nothing. A session can end that
  /// much too early, so the interval is at most a tenth of the time after which a session ends if it is not used.
  func touchInterval(idle: Duration) -> Duration { min(.seconds(3_600), self.maximumIdle(idle) / 10) }

  private func maximumIdle(_ idle: Duration) -> Duration {
    self.isOnPublicDevice ? min(idle, BrowserSessions.publicDeviceIdle) : idle
  }
}
