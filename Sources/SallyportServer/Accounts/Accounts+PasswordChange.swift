package import SallyportProtocol

extension Accounts {
  /// Returns why the policy does not accept a new password for the account, or nil if it accepts the password. If the
  /// account has an authenticator app, the password can be shorter.
  package func violation(
    by password: Secret<String>, of account: AccountRecord
  ) async throws(StoreError) -> PasswordPolicy.Violation? {
    let names = [account.username.value, account.name, account.email].compactMap(\.self)
    // The stricter policy is checked first, so that the store is read only for a password that this policy rejects.
    guard let violation = self.policy.violation(by: password, names: names) else { return nil }
    let policy = try await self.policy(for: account)
    return policy == self.policy ? violation : policy.violation(by: password, names: names)
  }

  /// Returns the password policy of an account.
  package func policy(for account: AccountRecord) async throws(StoreError) -> PasswordPolicy {
    let id = account.id
    let hasTOTP = try await self.store.read { (tx) throws(StoreError) in try tx.totp(of: id) != nil }
    return hasTOTP ? self.policy.withSecondFactor : self.policy
  }

  /// Sets a password that the user chose, and ends the account's sessions, grants, and one-time links.
  /// - Parameters:
  ///   - account: The account as it was when the user's proof was checked (``PasswordChangeProofs``).
  ///   - proof: The user's proof. If the account has a factor besides its password, the user must have been
  ///     authenticated with a passkey or two factors.
  /// - Returns: The updated account; nil if the account was changed or disabled in the meantime, or the user may not
  ///   change the password.
  func changePassword(
    of account: AccountRecord, to password: Secret<String>, _ proof: PasswordChangeProofs.Proof,
    by changePolicy: SensitiveChangePolicy, from origin: AuditOrigin
  ) async throws -> AccountRecord? {
    try await self.setPassword(password, of: account, .user, from: origin) { (tx, now) throws(StoreError) in
      // Without a session, the user changes the password while signing in, so the proof's evidence counts.
      guard let session = proof.credential else {
        return try changePolicy.factors(tx, of: account.id).permitChanges(with: proof.evidence.methods)
      }
      guard case .granted = try changePolicy.permission(tx, session: session, at: now) else { return false }
      return true
    }
  }

  /// Sets the password that a user chose after opening a one-time link, and ends the account's sessions, grants, and
  /// one-time links. Other factors remain, so a sign-in with the password still requires a code if it did before.
  /// - Parameters:
  ///   - account: The account as it was when the browser's proof was checked. The proof shows that the link was used in
  ///     this browser (``AccountLinks/setPassword(_:repeated:proof:from:)``).
  ///   - link: The fingerprint of the used link.
  ///   - reason: The kind of link.
  /// - Returns: The updated account; nil if in the meantime the account was changed or disabled, or the link was
  ///   removed.
  func resetPassword(
    of account: AccountRecord, to password: Secret<String>, with link: Fingerprint, _ reason: AuditReason,
    from origin: AuditOrigin
  ) async throws -> AccountRecord? {
    try await self.setPassword(password, of: account, reason, from: origin) { (tx, _) throws(StoreError) in
      try tx.accountLink(link) != nil
    }
  }

  private func setPassword(
    _ password: Secret<String>, of account: AccountRecord, _ reason: AuditReason, from origin: AuditOrigin,
    if isAllowed: @escaping @Sendable (_ tx: borrowing any StoreTransaction, _ now: Timestamp) throws(StoreError) -> Bool
  ) async throws -> AccountRecord? {
    let hash = try await self.hasher.hash(password)
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      guard let current = try tx.account(account.id), current == account, current.disabledAt == nil, try isAllowed(tx, now)
      else { return nil }
      try Self.setPassword(hash, of: account.id, reason, from: origin, at: now, in: &tx)
      return try tx.account(account.id)
    }
  }

  /// Stores a password hash, and ends the account's sessions, grants, and one-time links.
  static func setPassword(
    _ hash: String, of account: AccountID, _ reason: AuditReason? = nil, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    let recorded = try tx.record(AuditRecord(.passwordChanged, reason, account: account, from: origin, at: now))
    _ = try tx.setPasswordHash(hash, of: account, at: now, recorded)
    try SessionEnd.endAll(of: account, reason: .passwordChanged, recorded, at: now, in: &tx)
  }
}
