package import SallyportProtocol

/// Creates accounts for users who have a link for sign-up.
///
/// A visitor enters an email address and nothing else, and gets a mail. Only someone who reads the mail learns whether
/// the address has an account. The account is created in one transaction when its user has chosen a user name and a
/// password.
package struct SignUps: Sendable {
  let accounts: Accounts
  let issuer: Issuer
  let policy: SignUpPolicy
  let mailLinks: MailLinkSealer
  let limits: KeyedLimits
  /// The maximum number of mails to visitors within an hour.
  let maximumPerHour: Int
  private let proofs: SignUpProofs
  /// Wakes the delivery of mail.
  let mailSignal: WakeSignal

  var store: any Store { self.accounts.store }
  var now: TimeSource { self.accounts.now }

  /// How long a browser that has used a link can create the account.
  package static var proofLifetime: Duration { .seconds(1_800) }

  init(
    accounts: Accounts, issuer: Issuer, policy: SignUpPolicy, masterKey: MasterKey, maximumPerHour: Int, mailSignal: WakeSignal
  ) {
    self.accounts = accounts
    self.issuer = issuer
    self.policy = policy
    self.mailLinks = MailLinkSealer(masterKey)
    self.limits = KeyedLimits(name: "sign-up", key: masterKey.key(for: "sign-up limits"))
    self.maximumPerHour = maximumPerHour
    self.proofs = SignUpProofs(
      sealer: masterKey.sealer(for: "sign-up proofs"), now: accounts.now, lifetime: Self.proofLifetime)
    self.mailSignal = mailSignal
  }

  /// Creates an instance for an operator's command. The command handles no requests of visitors, so their limit is 0.
  /// The command can invite users, and the running server sends the mail that the command queues.
  package init(accounts: Accounts, issuer: Issuer, policy: SignUpPolicy, masterKey: MasterKey) {
    self.init(
      accounts: accounts, issuer: issuer, policy: policy, masterKey: masterKey, maximumPerHour: 0, mailSignal: WakeSignal())
  }

  // MARK: Links

  /// A new token, with the link that contains it.
  struct NewLink: Sendable {
    let fingerprint: Fingerprint
    let url: Secret<String>
    /// The encrypted link for a queued mail; nil if it cannot be encrypted.
    let sealedURL: [UInt8]?
  }

  /// Creates the token of a link. The link begins with the issuer, and never with the host of a request.
  func newLink() -> NewLink {
    let token = OpaqueToken.random(.signUp)
    let url = Secret(
      "\(self.issuer.url(appending: AccountPath.signUpLink.rawValue))?\(AccountLinks.parameter)=\(token.text.reveal())")
    return NewLink(fingerprint: token.fingerprint, url: url, sealedURL: self.mailLinks.seal(url))
  }

  /// Stores a link, and queues the mail that contains it, if links of this kind are mailed.
  static func store(
    _ link: NewLink, _ kind: SignUpRecord.Kind, for email: EmailAddress, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    let expiry = now + kind.lifetime
    try tx.insert(
      SignUpRecord(fingerprint: link.fingerprint, kind: kind, email: email.value, createdAt: now, expiresAt: expiry))
    try tx.insert(AuditRecord(.signUpLinkIssued, kind.reason, from: origin, at: now))
    guard let template = kind.template else { return }
    guard let sealed = link.sealedURL else { throw .unavailable(reason: "the link cannot be encrypted") }
    let content = MailContent(template, username: "", language: origin.language, linkExpiresAt: expiry)
    try tx.insert(MailRecord(content, to: email, sealedLink: sealed, until: expiry, at: now))
  }

  /// Returns the link with this token; nil if it does not exist or can no longer be used, or if the server no longer
  /// accepts links of this kind.
  package func find(_ token: String) async throws(StoreError) -> SignUpRecord? {
    guard let fingerprint = OpaqueToken(.signUp, token)?.fingerprint else { return nil }
    let now = self.now()
    let found = try await self.store.read { (tx) throws(StoreError) in try tx.signUp(fingerprint) }
    guard let found, self.accepts(found), found.isUsable(at: now) else { return nil }
    return found
  }

  /// Uses a link. The browser may have lost the response, or may not have stored the cookie with the proof. Until the
  /// first proof expires, the link therefore gives further proofs, which expire at the same time.
  /// - Returns: The proof for ``create(_:proof:from:)``; nil if the link cannot be used, or the proof cannot be sealed.
  package func consume(_ token: String) async throws(StoreError) -> Secret<String>? {
    guard let found = try await self.find(token) else { return nil }
    let now = self.now()
    let used = try await self.store.write { (tx) throws(StoreError) in
      _ = try tx.consumeSignUp(found.fingerprint, at: now, keepingUntil: now + Self.proofLifetime)
      return try tx.signUp(found.fingerprint)
    }
    guard let used, used.isUsable(at: now), let consumedAt = used.consumedAt else { return nil }
    return self.proofs.seal(used.fingerprint, since: consumedAt)
  }

  /// Returns the used link for which this proof is valid; nil if the proof is invalid or has expired, the account was
  /// created, or the server no longer accepts links of this kind.
  package func signUpLink(forProof proof: String?) async throws(StoreError) -> SignUpRecord? {
    guard let fingerprint = self.proofs.open(proof) else { return nil }
    let found = try await self.store.read { (tx) throws(StoreError) in try tx.signUp(fingerprint) }
    guard let found, self.accepts(found), found.consumedAt != nil else { return nil }
    return found
  }

  /// Whether the server no longer accepts the link with this token, because the operator has changed who can sign up.
  /// False if there is no such link.
  package func isClosed(_ token: String) async throws(StoreError) -> Bool {
    guard let fingerprint = OpaqueToken(.signUp, token)?.fingerprint else { return false }
    let found = try await self.store.read { (tx) throws(StoreError) in try tx.signUp(fingerprint) }
    return found.map { !self.accepts($0) } ?? false
  }

  private func accepts(_ link: SignUpRecord) -> Bool {
    link.kind == .request ? self.policy == .open : self.policy != .off
  }
}

extension SignUpRecord {
  /// Whether the link has not expired. A used link can be used again until the first proof expires
  /// (``SignUps/consume(_:)``).
  fileprivate func isUsable(at now: Timestamp) -> Bool {
    now < (self.consumedAt.map { $0 + SignUps.proofLifetime } ?? self.expiresAt)
  }
}

extension SignUpRecord.Kind {
  /// How long a link can be used.
  var lifetime: Duration {
    switch self {
    case .request: .seconds(86_400)
    case .invitation, .mailedInvitation: .seconds(7 * 86_400)
    }
  }

  /// Whether the use of a link of this kind proves that the user receives mail at the link's email address.
  var provesAddress: Bool { self != .invitation }

  /// The reason in the audit trail.
  var reason: AuditReason { self == .request ? .signUp : .invitation }

  /// The mail with the link; nil if it is not mailed.
  fileprivate var template: MailContent.Template? {
    switch self {
    case .request: .signUp
    case .invitation: nil
    case .mailedInvitation: .signUpInvitation
    }
  }
}
