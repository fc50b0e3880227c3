package import SallyportProtocol

/// Creates and consumes one-time links, with which users choose a password or confirm an email address.
///
/// Opening a link changes nothing, because mail filters and chat programs open links. A link is consumed only when the
/// user submits the form on its page.
package struct AccountLinks: Sendable {
  let accounts: Accounts
  let issuer: Issuer
  let lifetimes: Lifetimes
  let mailLinks: MailLinkSealer
  /// What the user needs to change the email address.
  let changePolicy: SensitiveChangePolicy
  let recipients: RecipientLimits
  /// Proofs that a link was consumed in the browser.
  let proofs: PasswordChangeProofs
  /// Wakes the delivery of mail.
  let mailSignal: WakeSignal
  /// Signaled when a new password has ended sessions, so that clients are notified of the logout.
  let logoutSignal: WakeSignal

  var store: any Store { self.accounts.store }
  var now: TimeSource { self.accounts.now }

  /// How long after a link was consumed the user can choose a password in that browser.
  package static var proofLifetime: Duration { .seconds(900) }
  /// The query parameter that contains the token.
  package static var parameter: String { "token" }

  init(
    accounts: Accounts, issuer: Issuer, lifetimes: Lifetimes, changePolicy: SensitiveChangePolicy, masterKey: MasterKey,
    mailSignal: WakeSignal, logoutSignal: WakeSignal
  ) {
    self.accounts = accounts
    self.issuer = issuer
    self.lifetimes = lifetimes
    self.changePolicy = changePolicy
    self.recipients = RecipientLimits(masterKey: masterKey)
    self.mailLinks = MailLinkSealer(masterKey)
    self.proofs = PasswordChangeProofs(
      sealer: masterKey.sealer(for: "account links"), now: accounts.now, lifetime: Self.proofLifetime)
    self.mailSignal = mailSignal
    self.logoutSignal = logoutSignal
  }

  /// Creates an instance for an operator's command. The running server sends the mail and the logout deliveries that
  /// the command queues. Commands do not use the change policy.
  package init(accounts: Accounts, issuer: Issuer, masterKey: MasterKey) {
    let lifetimes = Lifetimes()
    self.init(
      accounts: accounts, issuer: issuer, lifetimes: lifetimes,
      changePolicy: SensitiveChangePolicy(relyingPartyID: nil, idle: lifetimes.browserSessionIdle), masterKey: masterKey,
      mailSignal: WakeSignal(), logoutSignal: WakeSignal())
  }

  // MARK: Creation

  /// A new token, with the link that contains it.
  struct NewLink: Sendable {
    let fingerprint: Fingerprint
    let url: Secret<String>
    /// The encrypted link for a queued mail; nil if it cannot be encrypted.
    let sealedURL: [UInt8]?
  }

  /// Creates the token of a link. The link begins with the issuer, and never with the host of a request.
  func newLink() -> NewLink {
    let token = OpaqueToken.random(.accountLink)
    let url = Secret("\(self.issuer.url(appending: AccountPath.link.rawValue))?\(Self.parameter)=\(token.text.reveal())")
    return NewLink(fingerprint: token.fingerprint, url: url, sealedURL: self.mailLinks.seal(url))
  }

  /// Stores a link, and removes earlier links of the account with the same purpose.
  /// - Parameters:
  ///   - recipient: The address to which the link is mailed; nil to mail nothing.
  ///   - keepsOthers: Whether to keep earlier links that were not mailed, and earlier links that were used. True for a
  ///     request that anyone can send in a user's name, so that it cannot invalidate a link that the user depends on.
  static func store(
    _ link: NewLink, for purpose: AccountLinkRecord.Purpose, of account: AccountRecord, to recipient: EmailAddress?,
    keepingOthers keepsOthers: Bool = false, from origin: AuditOrigin, at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) {
    let expiry = now + purpose.lifetime(isMailed: recipient != nil)
    try tx.removeAccountLinks(of: account.id, for: purpose, onlyUnusedMail: keepsOthers)
    try tx.insert(
      AccountLinkRecord(
        fingerprint: link.fingerprint, purpose: purpose, account: account.id, email: recipient?.value, createdAt: now,
        expiresAt: expiry))
    try tx.insert(AuditRecord(.accountLinkIssued, purpose.reason, account: account.id, from: origin, at: now))
    guard let recipient else { return }
    guard let sealed = link.sealedURL else { throw .unavailable(reason: "the link cannot be encrypted") }
    let content = MailContent(
      purpose.template, username: account.username.value, isByOperator: origin.source == .command,
      language: account.chosenLanguage ?? origin.language, linkExpiresAt: expiry)
    try tx.insert(MailRecord(content, to: recipient, sealedLink: sealed, until: expiry, at: now))
  }

  // MARK: Use

  /// A link, and its account.
  package struct ValidLink: Sendable {
    package let link: AccountLinkRecord
    package let account: AccountRecord
  }

  /// Returns the link with this token; nil if it does not exist or can no longer be used, or if its account is
  /// disabled.
  package func find(_ token: String) async throws(StoreError) -> ValidLink? {
    guard let fingerprint = OpaqueToken(.accountLink, token)?.fingerprint else { return nil }
    let now = self.now()
    return try await self.store.read { (tx) throws(StoreError) in
      guard let link = try tx.accountLink(fingerprint), link.isUsable(at: now),
        let account = try tx.account(link.account), account.disabledAt == nil
      else { return nil }
      return ValidLink(link: link, account: account)
    }
  }

  /// Consumes a link with which the user chooses a password. If the link was mailed to the account's current
  /// address, this also verifies the address.
  ///
  /// The browser may have lost the response, or may not have stored the cookie with the proof. Until the first proof
  /// expires, the link therefore gives further proofs, which expire at the same time.
  /// - Returns: The proof for ``setPassword(_:repeated:proof:from:)``; nil if the link cannot be used, or the proof
  ///   cannot be sealed.
  package func consume(_ token: String, from origin: AuditOrigin) async throws(StoreError) -> Secret<String>? {
    guard let found = try await self.find(token), found.link.purpose != .emailVerification else { return nil }
    let now = self.now()
    let used = try await self.store.write { (tx) throws(StoreError) -> ValidLink? in
      let isFirst = try tx.consumeAccountLink(
        found.link.fingerprint, at: now, keepingUntil: now + Self.proofLifetime)
      guard let link = try tx.accountLink(found.link.fingerprint), link.isUsable(at: now),
        let account = try tx.account(found.account.id), account.disabledAt == nil
      else { return nil }
      guard isFirst, let email = link.email, email == account.email else { return ValidLink(link: link, account: account) }
      let verified = try Accounts.setProfile(
        of: account, name: account.name, email: email, isEmailVerified: true, from: origin, at: now, in: &tx)
      return verified.map { ValidLink(link: link, account: $0) }
    }
    guard let used, let consumedAt = used.link.consumedAt else { return nil }
    // The link does not authenticate the user, so the proof contains no methods, and no session begins with it.
    return self.proofs.seal(
      used.account, AuthenticationContext.Evidence([], at: now), credential: used.link.fingerprint, since: consumedAt)
  }

  /// Returns the account for which this proof is valid; nil if the proof is not valid. A proof becomes invalid when it
  /// expires, when the account is disabled or removed, when its password or email address changes, or when a new link
  /// replaces the used one.
  package func account(forProof proof: String?) async throws(StoreError) -> AccountRecord? {
    try await self.holder(of: proof)?.account
  }

  private func holder(of proof: String?) async throws(StoreError) -> ValidLink? {
    guard let proof = self.proofs.open(proof), let fingerprint = proof.credential else { return nil }
    return try await self.store.read { (tx) throws(StoreError) in
      guard let link = try tx.accountLink(fingerprint), let account = try tx.account(proof.account),
        proof.isCurrent(for: account)
      else { return nil }
      return ValidLink(link: link, account: account)
    }
  }

  package enum PasswordOutcome: Sendable {
    /// The password was set. The user is not signed in, because the account may require another factor.
    case done(AccountRecord)
    case rejected(AccountRecord, PasswordSignIn.ChangeFailure)
    /// The proof is not valid (``account(forProof:)``), or the account was changed at the same time.
    case expired
  }

  /// Sets a password, and ends the account's sessions, grants, and links.
  /// - Parameter proof: The proof of ``consume(_:from:)``.
  package func setPassword(
    _ password: Secret<String>, repeated: Secret<String>, proof: String?, from origin: AuditOrigin
  ) async throws -> PasswordOutcome {
    guard let holder = try await self.holder(of: proof) else { return .expired }
    let (account, link) = (holder.account, holder.link)
    guard password.reveal() == repeated.reveal() else { return .rejected(account, .entriesDiffer) }
    if let violation = try await self.accounts.violation(by: password, of: account) {
      return .rejected(account, .violation(violation))
    }
    let changed: AccountRecord?
    do {
      changed = try await self.accounts.resetPassword(
        of: account, to: password, with: link.fingerprint, link.purpose.reason, from: origin)
    } catch {
      guard case PasswordHasherError.overloaded = error else { throw error }
      return .rejected(account, .overloaded)
    }
    guard let changed else { return .expired }
    self.logoutSignal.send()
    return .done(changed)
  }
}

extension AccountLinkRecord {
  /// Whether the link has not expired. A used link for a password can be used again until the first proof expires
  /// (``AccountLinks/consume(_:from:)``).
  fileprivate func isUsable(at now: Timestamp) -> Bool {
    guard let consumedAt = self.consumedAt else { return now < self.expiresAt }
    return self.purpose != .emailVerification && now < consumedAt + AccountLinks.proofLifetime
  }
}

extension AccountLinkRecord.Purpose {
  /// How long a link can be used. A mailed link for a new password can be used only for a short time, because others
  /// may read old mail. If such a link is not mailed, the operator delivers it in another way, which may take longer.
  func lifetime(isMailed: Bool) -> Duration {
    switch self {
    case .invitation: .seconds(7 * 86_400)
    case .passwordReset: .seconds(isMailed ? 3_600 : 86_400)
    case .emailVerification: .seconds(86_400)
    }
  }

  var reason: AuditReason {
    switch self {
    case .invitation: .invitation
    case .passwordReset: .passwordReset
    case .emailVerification: .emailVerification
    }
  }

  var template: MailContent.Template {
    switch self {
    case .invitation: .invitation
    case .passwordReset: .passwordReset
    case .emailVerification: .emailVerification
    }
  }
}
