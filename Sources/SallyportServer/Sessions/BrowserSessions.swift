package import SallyportProtocol

/// The browser sessions of signed-in users.
package struct BrowserSessions: Sendable {
  let store: any Store
  let lifetimes: Lifetimes
  let now: TimeSource
  /// Signaled when a session may have ended, so that clients are notified of the logout.
  let deliveries: WakeSignal
  let rejections: AuditRejections

  /// The maximum number of bytes that are stored of a `User-Agent`.
  private static var maximumUserAgentSize: Int { 512 }

  /// The maximum number of sessions of an account. If an account has this many, the next sign-in ends the least recently
  /// used one. A program that signs in again and again therefore cannot fill the store.
  package static var maximumSessions: Int { 100 }

  /// A valid session and its account.
  package struct Active: Sendable {
    package let record: BrowserSessionRecord
    package let account: AccountRecord
    /// The minimum time between updates of ``BrowserSessionRecord/lastSeenAt``, so that most page views write nothing.
    static var touchInterval: Duration { .seconds(3600) }
    /// The time after an authentication in which the user may make sensitive changes.
    package static var recentAuthenticationLifetime: Duration { .seconds(600) }

    /// Whether the user was authenticated recently enough for a sensitive change, such as a new password. A stolen cookie
    /// does not suffice after this time.
    package func isRecentlyAuthenticated(at now: Timestamp) -> Bool {
      now - self.record.authenticatedAt < Self.recentAuthenticationLifetime
    }
  }

  /// Returns the session of a cookie; nil if the session does not exist, has ended or expired, or belongs to a disabled
  /// account.
  package func active(_ cookie: String?) async throws(StoreError) -> Active? {
    try await self.active(cookie) { (_, _) throws(StoreError) in () }?.session
  }

  /// Returns the session of a cookie, and what `more` reads in the same snapshot of the store.
  func active<More: Sendable>(
    _ cookie: String?,
    reading more: @escaping @Sendable (_ tx: borrowing any StoreSnapshot, _ session: Active) throws(StoreError) -> More
  ) async throws(StoreError) -> (session: Active, more: More)? {
    guard let cookie, let token = OpaqueToken(.browserSession, cookie) else { return nil }
    let (now, idle, fingerprint) = (self.now(), self.lifetimes.browserSessionIdle, token.fingerprint)
    let found = try await self.store.read { (tx) throws(StoreError) -> (session: Active, more: More)? in
      guard let (record, account) = try tx.browserSessionAndAccount(fingerprint), record.isValid(at: now, idle: idle),
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

  /// Starts a session for a user who was just authenticated, and ends the browser's previous session.
  ///
  /// If the previous session belonged to the same user, the new session keeps that session's identifier, so that the
  /// user stays signed in to apps. If it belonged to another user, it ends as if that user had signed out
  /// (``SessionEnd``).
  /// - Parameters:
  ///   - methods: How the user was authenticated (``BrowserSessionRecord/authenticationMethods``).
  ///   - time: When the user was authenticated; nil for now.
  ///   - userAgent: The `User-Agent` of the browser.
  ///   - confirm: Runs in the transaction that starts the session. Returns why the session must not start, or nil. What it
  ///     wrote is committed in both cases.
  /// - Returns: The cookie; nil if the account was disabled, or its password changed, during the sign-in, or if `confirm`
  ///   returned a reason.
  package func start(
    for account: AccountRecord, by methods: [String], at time: Timestamp? = nil, replacing cookie: String?,
    from origin: AuditOrigin, userAgent: String? = nil,
    confirm: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> AuditReason? = { _ in nil }
  ) async throws(StoreError) -> Secret<String>? {
    let (now, token) = (self.now(), OpaqueToken.random(.browserSession))
    let new = BrowserSessionRecord(
      fingerprint: token.fingerprint, id: RandomText.base64URL(bits: 128), account: account.id, authenticatedAt: time ?? now,
      authenticationMethods: methods, lastSeenAt: now, expiresAt: now + self.lifetimes.browserSession,
      userAgent: userAgent.flatMap { StorableText.clean($0, maximumBytes: Self.maximumUserAgentSize) }, address: origin.address)
    let previous = cookie.flatMap { OpaqueToken(.browserSession, $0)?.fingerprint }
    let rejection = try await self.store.write { (tx) throws(StoreError) -> AuditReason? in
      guard let current = try tx.account(account.id), current.disabledAt == nil,
        current.passwordChangedAt == account.passwordChangedAt
      else { return .accountChanged }
      if let reason = try confirm(&tx) { return reason }
      var old = try previous.flatMap { (fingerprint) throws(StoreError) in try tx.browserSession(fingerprint) }
      if old?.endedAt != nil { old = nil }
      try Self.start(new, replacing: old, from: origin, at: now, in: &tx)
      return nil
    }
    if let rejection {
      self.rejections.note(.signInRejected, rejection, account: account.id, from: origin)
      return nil
    }
    if previous != nil { self.deliveries.send() }
    return token.text
  }

  /// - Parameter old: The browser's previous session, if it has not ended.
  private static func start(
    _ new: BrowserSessionRecord, replacing old: BrowserSessionRecord?, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    var new = new
    // The previous session, if it belongs to the same user.
    let ownSession = old?.account == new.account ? old : nil
    if let ownSession {
      new.id = ownSession.id
    } else if let old {
      try SessionEnd.end(old, SessionEnd.Cause(reason: .otherUser, origin: origin), at: now, in: &tx)
    }
    let others = try tx.browserSessions(of: new.account).filter { $0.fingerprint != ownSession?.fingerprint }
    for surplus in others.sorted(by: { $0.lastSeenAt > $1.lastSeenAt }).dropFirst(Self.maximumSessions - 1) {
      try SessionEnd.end(surplus, SessionEnd.Cause(reason: .evicted, origin: origin), at: now, in: &tx)
    }
    let reason: AuditReason? =
      AuthenticationContext.isFederated(new.authenticationMethods) ? .upstream : Self.reason(of: new)
    let recorded = try tx.record(AuditRecord(.signedIn, reason, account: new.account, session: new.id, from: origin, at: now))
    if let ownSession {
      _ = try tx.endBrowserSession(ownSession.fingerprint, at: now, recorded)
      try tx.extendSessionClients(ofSession: ownSession.id, to: new.expiresAt)
    }
    try tx.insert(new)
  }

  private static func reason(of session: BrowserSessionRecord) -> AuditReason? {
    switch AuthenticationContext.Level(of: session.authenticationMethods) {
    case .password: nil
    case .twoFactors: .secondFactor
    case .phishingResistant, .hardwareProtected: .passkey
    }
  }
}

extension BrowserSessionRecord {
  /// - Parameter idle: How long a session is valid if it is not used.
  func isValid(at now: Timestamp, idle: Duration) -> Bool {
    self.endedAt == nil && now < self.expiresAt && now < self.lastSeenAt + idle
  }
}
