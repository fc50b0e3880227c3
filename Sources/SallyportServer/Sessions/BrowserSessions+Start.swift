package import SallyportProtocol

extension BrowserSessions {
  /// The maximum number of bytes that are stored of a `User-Agent`.
  private static var maximumUserAgentSize: Int { 512 }

  /// Starts a session for a user who was just authenticated, as the browser's default session. The browser's sessions
  /// of other users continue.
  ///
  /// If the browser has a session of the same user, the new session replaces it and keeps its identifier, so that the
  /// user stays signed in to apps. If the browser has too many sessions, this function ends the one that was the
  /// default session least recently. If the account has too many sessions, the least recently used one ends.
  /// - Parameters:
  ///   - methods: How the user was authenticated (``BrowserSessionRecord/authenticationMethods``).
  ///   - time: When the user was authenticated; nil for now.
  ///   - cookie: The browser's session cookie. The new session always has a new token.
  ///   - userAgent: The `User-Agent` of the browser.
  ///   - upstream: The session at the upstream through which the user was authenticated; nil if the user did not use an
  ///     upstream. The identity must be connected with the account, and its last use is updated.
  ///   - isOnPublicDevice: Whether the user said that the device belongs to someone else. Even if this is false, the
  ///     new session is on a public device if it replaces a valid session on a public device, or one that a new password
  ///     has just ended. See ``SessionCookie/isOnPublicDevice`` of the result.
  ///   - isRenewal: Whether the session continues one that just ended with a change to the account, such as a new
  ///     password. The user did not sign in, so the audit trail does not contain a sign-in, and a session on a public
  ///     device does not expire later than the earlier one.
  ///   - confirm: Runs in the transaction that starts the session. Returns why the session must not start, or nil to
  ///     start the session. The writes of `confirm` are committed in both cases.
  /// - Returns: The new cookie; nil if the account was disabled or removed, its password changed, or the identity at
  ///   the upstream was disconnected during the sign-in, or if `confirm` returned a reason.
  package func start(
    for account: AccountRecord, by methods: [String], at time: Timestamp? = nil, replacing cookie: String?,
    from origin: AuditOrigin, userAgent: String? = nil, upstream: UpstreamSession? = nil,
    isOnPublicDevice: Bool = false, isRenewal: Bool = false,
    confirm: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> AuditReason? = { _ in nil }
  ) async throws(StoreError) -> SessionCookie? {
    let (now, token, previous) = (self.now(), OpaqueToken.random(.browserSession), SessionCookie.tokens(in: cookie))
    let new = BrowserSessionRecord(
      fingerprint: token.fingerprint, id: RandomText.base64URL(bits: 128), account: account.id, authenticatedAt: time ?? now,
      authenticationMethods: methods, lastSeenAt: now, expiresAt: now + self.lifetimes.browserSession,
      userAgent: userAgent.flatMap { StorableText.clean($0, maximumBytes: Self.maximumUserAgentSize) }, address: origin.address,
      isOnPublicDevice: isOnPublicDevice, upstream: upstream)
    let idle = self.lifetimes.browserSessionIdle
    let result = try await self.store.write { (tx) throws(StoreError) -> StartResult in
      guard let current = try tx.account(account.id), current.disabledAt == nil,
        current.passwordChangedAt == account.passwordChangedAt
      else { return .rejected(.accountChanged) }
      if let upstream, try tx.federatedIdentity(issuer: upstream.issuer, subject: upstream.subject)?.account != account.id {
        return .rejected(.accountChanged)
      }
      if let reason = try confirm(&tx) { return .rejected(reason) }
      if let upstream { _ = try tx.useFederatedIdentity(issuer: upstream.issuer, subject: upstream.subject, at: now) }
      return .started(
        try Self.start(
          new, token.text, previous, passwordChangedAt: current.passwordChangedAt, idle: idle, isRenewal: isRenewal, from: origin,
          at: now, in: &tx))
    }
    switch result {
    case .rejected(let reason):
      self.rejections.note(.signInRejected, reason, account: account.id, from: origin)
      return nil
    case .started(let cookie):
      // A previous session of this browser may have ended, or the user's least recently used session in another
      // browser. The clients of that session may have to be notified of the logout.
      self.logoutSignal.send()
      return cookie
    }
  }

  private enum StartResult: Sendable {
    case started(SessionCookie?)
    case rejected(AuditReason)
  }

  /// Replaces the browser's session of the same user, even if that session has expired. Sessions of other users are
  /// kept if they are valid.
  /// - Parameter previous: The tokens of the browser's previous sessions.
  /// - Returns: The new cookie. It is never nil, because it contains at least the new session.
  private static func start(
    _ new: BrowserSessionRecord, _ token: Secret<String>, _ previous: [OpaqueToken], passwordChangedAt: Timestamp,
    idle: Duration, isRenewal: Bool, from origin: AuditOrigin, at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) -> SessionCookie? {
    var new = new
    var kept: [(token: Secret<String>, record: BrowserSessionRecord)] = []
    var ownSession: BrowserSessionRecord?
    for token in previous {
      guard let record = try tx.browserSession(token.fingerprint) else { continue }
      // A new password has just ended the session: the user chose it on the account page (`isRenewal`), or had to
      // choose it at this sign-in.
      if isRenewal || record.endedAt == passwordChangedAt, record.account == new.account, record.isOnPublicDevice {
        new.isOnPublicDevice = true
        if isRenewal { new.expiresAt = min(new.expiresAt, record.expiresAt) }
      }
      guard record.endedAt == nil else { continue }
      if record.account == new.account {
        ownSession = ownSession ?? record
      } else if record.isValid(at: now, idle: idle), !kept.contains(where: { $0.record.account == record.account }) {
        kept.append((token.text, record))
      }
    }
    // One of the places in the cookie is for the new session.
    for surplus in kept.dropFirst(SessionCookie.maximumAccounts - 1) {
      try SessionEnd.end(surplus.record, SessionEnd.Cause(reason: .tooManyAccounts, origin: origin), at: now, in: &tx)
    }
    if let ownSession {
      new.id = ownSession.id
      new.isOnPublicDevice = new.isOnPublicDevice || (ownSession.isOnPublicDevice && ownSession.isValid(at: now, idle: idle))
    }
    if new.isOnPublicDevice { new.expiresAt = min(new.expiresAt, now + Self.publicDeviceLifetime) }
    try self.insert(new, replacing: ownSession, isRenewal: isRenewal, from: origin, at: now, in: &tx)
    let others = kept.prefix(SessionCookie.maximumAccounts - 1).map { ($0.token, $0.record.isOnPublicDevice) }
    return SessionCookie([(token, new.isOnPublicDevice)] + others)
  }

  /// - Parameter ownSession: The browser's previous session of the same user, if it has not ended.
  private static func insert(
    _ new: BrowserSessionRecord, replacing ownSession: BrowserSessionRecord?, isRenewal: Bool, from origin: AuditOrigin,
    at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) {
    let others = try tx.browserSessions(of: new.account).filter { $0.fingerprint != ownSession?.fingerprint }
    for surplus in others.sorted(by: { $0.lastSeenAt > $1.lastSeenAt }).dropFirst(Self.maximumSessions - 1) {
      try SessionEnd.end(surplus, SessionEnd.Cause(reason: .evicted, origin: origin), at: now, in: &tx)
    }
    // A renewal is not recorded, unless it ends another session of the user, which began in this browser in the
    // meantime.
    if isRenewal, ownSession == nil { return try tx.insert(new) }
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
