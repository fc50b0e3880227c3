package import SallyportProtocol
import Synchronization

/// The second step of a sign-in with a password or through an upstream: a code of the authenticator app, or a recovery
/// code.
package struct SecondFactorSignIn: Sendable {
  let store: any Store
  let pendingSignIns: PendingSignIns
  let secrets: TOTPSecrets
  let codes: RecoveryCodes
  let changePolicy: SensitiveChangePolicy
  let changeProofs: PasswordChangeProofs
  let sessions: BrowserSessions
  let browsers: KnownBrowsers
  let rejections: AuditRejections
  let now: TimeSource

  /// What the page that asks for a code needs.
  package struct Challenge: Sendable {
    package let account: AccountRecord
    /// The state of the sign-in, which ``PendingSignIns`` has sealed (encrypted) and which the form sends back.
    package let sealed: Secret<String>
    package let factors: AccountFactors
  }

  /// What follows a correct password.
  package enum NextStep: Sendable {
    /// No other factor is needed: the session can begin, or the user can choose a new password if one is required.
    case none
    case code(Challenge)
    /// The password must be changed. The user must first sign in with a passkey, because the account has passkeys but
    /// accepts no codes.
    case passkey
  }

  package enum Outcome: Sendable {
    /// - Parameters:
    ///   - session: The new session cookie.
    ///   - browser: The new cookie of ``KnownBrowsers``; nil on a public device, which must not become known, or if the
    ///     cookie cannot be sealed.
    case success(AccountRecord, session: SessionCookie, browser: Secret<String>?)
    /// The code is correct, but the password no longer meets the policy.
    case passwordChangeNeeded(AccountRecord, proof: Secret<String>)
    /// The code is wrong or was used before. The user does not learn which.
    case rejected(Challenge)
    /// There were too many wrong codes. The code was not checked. The duration is how long the user must wait.
    case throttled(Challenge, Duration)
    /// The time to enter the code is over, or the form belongs to another interaction. Or, since the sign-in began, the
    /// account was disabled, its password changed, or the identity at the upstream was disconnected.
    case expired
  }

  /// Returns what follows a correct password. Call this only after the password was checked, because the result says
  /// whether the account has a second factor.
  /// - Parameters:
  ///   - interaction: The identifier of the interaction for which the user signs in.
  ///   - prefersCode: Whether to ask for a code even if the account does not require one at each sign-in, because the
  ///     app's request, or the change on the account page for which the user signs in, needs two factors.
  ///   - mustChangePassword: Whether the password no longer meets the policy.
  package func nextStep(
    for account: AccountRecord, interaction: String, prefersCode: Bool, mustChangePassword: Bool
  ) async throws(StoreError) -> NextStep {
    let factors = try await self.factors(of: account)
    guard factors.requireCodes || (factors.acceptCodes && (prefersCode || mustChangePassword)) else {
      return mustChangePassword && factors.hasAny ? .passkey : .none
    }
    return .code(try self.challenge(account, factors, interaction: interaction, mustChangePassword: mustChangePassword))
  }

  /// Returns what follows a sign-in through an upstream; nil if no code is needed.
  /// - Parameters:
  ///   - upstream: The session at the upstream.
  ///   - time: When the user signed in at the upstream, which is the `auth_time` of the new session.
  ///   - interaction: The identifier of the interaction for which the user signs in.
  ///   - prefersCode: Whether to ask for a code even if the account does not require one at each sign-in.
  func nextStep(
    afterUpstreamFor account: AccountRecord, _ upstream: UpstreamSession, at time: Timestamp, interaction: String,
    prefersCode: Bool
  ) async throws(StoreError) -> Challenge? {
    let factors = try await self.factors(of: account)
    guard factors.requireCodes || (factors.acceptCodes && prefersCode) else { return nil }
    return try self.challenge(
      account, factors, interaction: interaction, upstream: PendingSignIns.Upstream(session: upstream, authenticatedAt: time))
  }

  /// Returns a check for the transaction that starts a session: whether the account still requires no code.
  ///
  /// The user may have set up two-step verification after ``NextStep`` was determined. The setup ends the sessions that
  /// began without a second factor, so no such session may start afterward.
  /// - Parameter methods: How the user was authenticated. The check does nothing if a code or a passkey was used.
  package func confirmation(
    of methods: [String], for account: AccountRecord
  ) -> @Sendable (inout any StoreTransaction) throws(StoreError) -> AuditReason? {
    let withoutFactor = [
      AuthenticationContext.password, AuthenticationContext.federated, AuthenticationContext.federatedTwoFactors,
    ]
    let usesFactor = !withoutFactor.contains(methods)
    return { [changePolicy] (tx) throws(StoreError) in
      guard !usesFactor, try changePolicy.factors(tx, of: account.id).requireCodes else { return nil }
      return .accountChanged
    }
  }

  private func factors(of account: AccountRecord) async throws(StoreError) -> AccountFactors {
    let changePolicy = self.changePolicy
    return try await self.store.read { (tx) throws(StoreError) in try changePolicy.factors(tx, of: account.id) }
  }

  private func challenge(
    _ account: AccountRecord, _ factors: AccountFactors, interaction: String, mustChangePassword: Bool = false,
    upstream: PendingSignIns.Upstream? = nil
  ) throws(StoreError) -> Challenge {
    let sealed = self.pendingSignIns.seal(
      account, interaction: interaction, mustChangePassword: mustChangePassword, upstream: upstream)
    guard let sealed else { throw .unavailable(reason: "the state of a sign-in cannot be encrypted") }
    return Challenge(account: account, sealed: sealed, factors: factors)
  }

  /// The result of checking a code in a transaction.
  private enum Check: Sendable {
    case accepted(AccountRecord)
    case rejected(AccountRecord, AccountFactors, AuditReason)
    case throttled(AccountRecord, AccountFactors, Duration)
    case expired

    /// Why no session starts; nil if the code is accepted.
    var reason: AuditReason? {
      switch self {
      case .accepted: nil
      case .rejected(_, _, let reason): reason
      case .throttled: .throttled
      case .expired: .accountChanged
      }
    }
  }

  /// Checks a code, and starts a session unless the password must be changed.
  /// - Parameters:
  ///   - text: The code of the authenticator app or the recovery code, as the user entered it.
  ///   - sealed: The sealed value of ``Challenge``.
  ///   - interaction: The identifier of the interaction for which the form was shown.
  package func run(
    code text: Secret<String>, sealed: Secret<String>, interaction: String, _ browser: SignInBrowser, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    guard let pending = self.pendingSignIns.open(sealed, interaction: interaction) else { return .expired }
    let now = self.now()
    let methods = pending.upstream != nil ? AuthenticationContext.federatedWithCode : AuthenticationContext.twoFactors
    let check: Check
    var cookie: SessionCookie?
    if pending.mustChangePassword {
      check = try await self.store.write { (tx) throws(StoreError) in
        try self.check(text, pending, from: origin, at: now, in: &tx)
      }
      if let reason = check.reason { self.rejections.note(.signInRejected, reason, account: pending.account, from: origin) }
    } else {
      (check, cookie) = try await self.start(text, pending, by: methods, browser, from: origin, at: now)
    }
    switch check {
    case .expired: return .expired
    case .throttled(let account, let factors, let wait):
      return .throttled(Challenge(account: account, sealed: sealed, factors: factors), wait)
    case .rejected(let account, let factors, _):
      return .rejected(Challenge(account: account, sealed: sealed, factors: factors))
    case .accepted(let account):
      if pending.mustChangePassword {
        guard let proof = self.changeProofs.seal(account, .init(methods, at: now)) else {
          throw .unavailable(reason: "the state of a sign-in cannot be encrypted")
        }
        return .passwordChangeNeeded(account, proof: proof)
      }
      guard let cookie else { return .expired }
      let knownBrowser = self.browsers.open(browser.knownBrowserCookie)
      return .success(
        account, session: cookie,
        browser: cookie.isOnPublicDevice ? nil : self.browsers.seal(adding: account, to: knownBrowser))
    }
  }

  /// Checks a code and starts a session, in one transaction. If the store fails, the code was not used.
  private func start(
    _ text: Secret<String>, _ pending: PendingSignIns.Pending, by methods: [String], _ browser: SignInBrowser,
    from origin: AuditOrigin, at now: Timestamp
  ) async throws(StoreError) -> (Check, SessionCookie?) {
    let account = try await self.store.read { (tx) throws(StoreError) in try tx.account(pending.account) }
    guard let account, pending.isCurrent(for: account) else { return (.expired, nil) }
    // Stays unchanged if the account has changed in the meantime.
    let check = Mutex(Check.expired)
    let cookie = try await self.sessions.start(
      for: account, by: methods, at: pending.upstream?.authenticatedAt, replacing: browser.sessionCookie, from: origin,
      userAgent: browser.userAgent, upstream: pending.upstream?.session, isOnPublicDevice: browser.isOnPublicDevice
    ) { (tx) throws(StoreError) in
      let result = try self.check(text, pending, from: origin, at: now, in: &tx)
      check.withLock { $0 = result }
      return result.reason
    }
    return (check.withLock { $0 }, cookie)
  }

  private func check(
    _ text: Secret<String>, _ pending: PendingSignIns.Pending, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) -> Check {
    guard let account = try tx.account(pending.account), pending.isCurrent(for: account) else { return .expired }
    let factors = try self.changePolicy.factors(tx, of: account.id)
    let limit = CodeLimit(account.id)
    if let wait = try limit.wait(tx, at: now) { return .throttled(account, factors, wait) }
    if let reason = try self.use(text.reveal(), of: account.id, from: origin, at: now, in: &tx) {
      try limit.fail(in: &tx, at: now)
      return .rejected(account, factors, reason)
    }
    try limit.succeed(in: &tx, at: now)
    return .accepted(account)
  }

  /// Uses a code, so that it is not accepted again.
  /// - Returns: Why the code is rejected; nil if it is accepted.
  private func use(
    _ text: String, of account: AccountID, from origin: AuditOrigin, at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) -> AuditReason? {
    if let digits = TOTP.digits(in: text) {
      guard let record = try tx.totp(of: account), let secret = self.secrets.open(record) else { return .wrongCode }
      guard let step = TOTP.step(of: digits, secret, after: record.lastStep, at: now) else {
        return TOTP.isRecent(digits, secret, at: now) ? .usedCode : .wrongCode
      }
      return try tx.useTOTP(of: account, step: step, at: now) ? nil : .usedCode
    }
    guard let code = RecoveryCode(text) else { return .wrongCode }
    let fingerprint = self.codes.fingerprint(of: code, account: account)
    guard let record = try tx.recoveryCodes(of: account).first(where: { $0.fingerprint == fingerprint }) else {
      return .wrongCode
    }
    guard record.usedAt == nil, try tx.useRecoveryCode(fingerprint, of: account, at: now) else { return .usedCode }
    try tx.insert(AuditRecord(.recoveryCodeUsed, account: account, from: origin, at: now))
    return nil
  }
}
