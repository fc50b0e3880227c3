package import SallyportLanguages
import SallyportProtocol

// The changes that operators make to existing accounts.
extension Accounts {
  /// Enables a disabled account. The sessions and grants that ended when it was disabled do not return.
  /// - Returns: The enabled account.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  @discardableResult
  public func enable(_ username: String, from origin: AuditOrigin = .command) async throws -> AccountRecord {
    let account = try await self.find(username)
    let now = self.now()
    let enabled = try await self.store.write { (tx) throws(StoreError) -> AccountRecord? in
      guard let current = try tx.account(account.id) else { return nil }
      guard current.disabledAt != nil else { return current }
      let recorded = try tx.record(AuditRecord(.accountEnabled, account: account.id, from: origin, at: now))
      _ = try tx.setDisabled(nil, account: account.id, recorded)
      return try tx.account(account.id)
    }
    guard let enabled else { throw AccountError.notFound }
    return enabled
  }

  /// Removes an account with everything that belongs to it. Clients are notified of the logout, and the audit trail
  /// stays.
  /// - Returns: The account as it was.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  @discardableResult
  public func remove(_ username: String, from origin: AuditOrigin = .command) async throws -> AccountRecord {
    let account = try await self.find(username)
    let now = self.now()
    try await self.store.write { (tx) throws(StoreError) in
      try Self.remove(account.id, from: origin, at: now, in: &tx)
    }
    return account
  }

  /// Returns the passkeys of an account, oldest first.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  public func passkeys(of username: String) async throws -> [PasskeyRecord] {
    let account = try await self.find(username)
    return try await self.store.read { (tx) throws(StoreError) in try tx.passkeys(of: account.id) }
  }

  /// Removes a passkey, for example because its device was lost. Sessions that began with the passkey do not end.
  /// - Parameter id: The credential ID.
  /// - Returns: Whether the account had this passkey.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  public func removePasskey(_ id: [UInt8], of username: String, from origin: AuditOrigin = .command) async throws -> Bool {
    let account = try await self.find(username)
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      guard try tx.passkey(id)?.account == account.id else { return false }
      let recorded = try tx.record(AuditRecord(.passkeyRemoved, account: account.id, from: origin, at: now))
      return try tx.removePasskey(id, of: account.id, recorded)
    }
  }

  /// Returns the second factors of an account: the authenticator app (nil if the account has none) and the recovery
  /// codes, including used ones.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  public func secondFactors(of username: String) async throws -> (totp: TOTPRecord?, recoveryCodes: [RecoveryCodeRecord]) {
    let account = try await self.find(username)
    return try await self.store.read { (tx) throws(StoreError) in
      (try tx.totp(of: account.id), try tx.recoveryCodes(of: account.id))
    }
  }

  /// Returns the identities at upstreams that are connected with an account, oldest first.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  public func federatedIdentities(of username: String) async throws -> [FederatedIdentityRecord] {
    let account = try await self.find(username)
    return try await self.store.read { (tx) throws(StoreError) in try tx.federatedIdentities(of: account.id) }
  }

  /// Disconnects an identity at an upstream, even if it is the last way in which the user can sign in. Sessions that
  /// began with the identity do not end.
  /// - Returns: Whether the account had this identity.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  package func removeFederatedIdentity(
    issuer: String, subject: String, of username: String, from origin: AuditOrigin = .command
  ) async throws -> Bool {
    let account = try await self.find(username)
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      guard try tx.federatedIdentity(issuer: issuer, subject: subject)?.account == account.id else { return false }
      let upstream = try tx.upstreams().first { $0.issuer == issuer }
      let recorded = try tx.record(
        AuditRecord(.identityDisconnected, account: account.id, subject: upstream?.id ?? issuer, from: origin, at: now))
      return try tx.removeFederatedIdentity(issuer: issuer, subject: subject, of: account.id, recorded)
    }
  }

  /// Removes the authenticator app, for example because its device was lost. Unused recovery codes remain. While the
  /// account has unused recovery codes and no passkey, each sign-in with the password requires a recovery code.
  /// - Returns: Whether the account had an authenticator app.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  public func removeTOTP(of username: String, from origin: AuditOrigin = .command) async throws -> Bool {
    let account = try await self.find(username)
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      guard try tx.totp(of: account.id) != nil else { return false }
      let recorded = try tx.record(AuditRecord(.totpRemoved, account: account.id, from: origin, at: now))
      return try tx.removeTOTP(of: account.id, recorded)
    }
  }

  /// Removes all recovery codes of an account.
  /// - Returns: Whether the account had recovery codes.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  public func removeRecoveryCodes(of username: String, from origin: AuditOrigin = .command) async throws -> Bool {
    let account = try await self.find(username)
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      guard try !tx.recoveryCodes(of: account.id).isEmpty else { return false }
      let recorded = try tx.record(AuditRecord(.recoveryCodesRemoved, account: account.id, from: origin, at: now))
      try tx.replaceRecoveryCodes(of: account.id, with: [], at: now, recorded)
      return true
    }
  }

  /// Ends all browser sessions of an account, as if the user had signed out of each. Grants with `offline_access`
  /// remain.
  /// - Returns: The number of sessions that ended, which can include sessions that had already expired.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  public func signOut(_ username: String, from origin: AuditOrigin = .command) async throws -> Int {
    let account = try await self.find(username)
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      let sessions = try tx.browserSessions(of: account.id)
      for session in sessions {
        try SessionEnd.end(session, SessionEnd.Cause(reason: nil, origin: origin), at: now, in: &tx)
      }
      return sessions.count
    }
  }

  /// Ends the browser session with this ``BrowserSessionRecord/id``.
  /// - Returns: False if there is no such session, or it has already ended.
  public func endSession(_ id: String, from origin: AuditOrigin = .command) async throws(StoreError) -> Bool {
    let session = try await self.store.read { (tx) throws(StoreError) in try tx.browserSession(withID: id) }
    guard let session else { return false }
    let now = self.now()
    try await self.store.write { (tx) throws(StoreError) in
      try SessionEnd.end(session, SessionEnd.Cause(reason: nil, origin: origin), at: now, in: &tx)
    }
    return true
  }

  /// Replaces the name and the email address of an account.
  /// - Parameters:
  ///   - name: The full name; nil to leave it unchanged, and empty to remove it.
  ///   - email: The email address; nil to leave it unchanged, and empty to remove it.
  ///   - isEmailVerified: Whether the operator knows that the user receives mail at the address. If false, a new
  ///     address counts as unverified.
  /// - Returns: The changed account.
  /// - Throws: ``AccountError`` or ``StoreError``.
  public func edit(
    _ username: String, name: String? = nil, email: String? = nil, isEmailVerified: Bool = false,
    from origin: AuditOrigin = .command
  ) async throws -> AccountRecord {
    let account = try await self.find(username)
    // These are nested optionals: nil leaves the value unchanged, and an optional that contains nil removes it.
    let newName = try name.map { (text) throws(AccountError) in try ProfileText.name(text) }
    let newEmail = try email.map { (text) throws(AccountError) in try ProfileText.email(text) }
    let now = self.now()
    let changed = try await self.store.write { (tx) throws(StoreError) -> AccountRecord? in
      guard let current = try tx.account(account.id) else { return nil }
      return try Self.setProfile(
        of: current, name: newName ?? current.name, email: newEmail ?? current.email, isEmailVerified: isEmailVerified,
        from: origin, at: now, in: &tx)
    }
    guard let changed else { throw AccountError.notFound }
    return changed
  }

  /// Sets the language of an account.
  /// - Parameter language: The language; nil for the language of the browser.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  package func setLanguage(
    _ language: Language?, of username: String, from origin: AuditOrigin = .command
  ) async throws -> AccountRecord {
    let account = try await self.find(username)
    let now = self.now()
    let changed = try await self.store.write { (tx) throws(StoreError) -> AccountRecord? in
      guard let current = try tx.account(account.id) else { return nil }
      return try Self.setLanguage(language, of: current, from: origin, at: now, in: &tx)
    }
    guard let changed else { throw AccountError.notFound }
    return changed
  }

  /// Sets the language of an account.
  /// - Parameter account: The account as read in this transaction.
  /// - Returns: The account with this language; nil if the account does not exist.
  static func setLanguage(
    _ language: Language?, of account: AccountRecord, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) -> AccountRecord? {
    guard account.language != language?.tag else { return account }
    try tx.insert(AuditRecord(.profileChanged, .language, account: account.id, from: origin, at: now))
    return try tx.setLanguage(language?.tag, of: account.id) ? try tx.account(account.id) : nil
  }

  /// Replaces the name and the email address. A new address removes the account's one-time links, which may have been
  /// sent to the old address.
  /// - Parameters:
  ///   - account: The account as read in this transaction.
  ///   - isEmailVerified: Whether `email` is verified now. If false, an unchanged address stays verified or unverified,
  ///     as it was, and a new address counts as unverified.
  /// - Returns: The account with these values; nil if the account does not exist.
  static func setProfile(
    of account: AccountRecord, name: String?, email: String?, isEmailVerified: Bool = false, from origin: AuditOrigin,
    at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) -> AccountRecord? {
    let isNewEmail = email != account.email
    let previousVerification = isNewEmail ? nil : account.emailVerifiedAt
    let verifiedAt = email == nil ? nil : previousVerification ?? (isEmailVerified ? now : nil)
    guard name != account.name || isNewEmail || verifiedAt != account.emailVerifiedAt else { return account }
    if name != account.name { try tx.insert(AuditRecord(.profileChanged, account: account.id, from: origin, at: now)) }
    if isNewEmail {
      try tx.insert(AuditRecord(.emailChanged, account: account.id, from: origin, at: now))
      try tx.removeAccountLinks(of: account.id, for: nil, onlyUnusedMail: false)
    }
    if verifiedAt != nil, verifiedAt != account.emailVerifiedAt {
      try tx.insert(AuditRecord(.emailVerified, account: account.id, from: origin, at: now))
    }
    guard try tx.setProfile(name: name, email: email, emailVerifiedAt: verifiedAt, of: account.id) else { return nil }
    return try tx.account(account.id)
  }

  static func remove(
    _ account: AccountID, from origin: AuditOrigin, at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) {
    let recorded = try tx.record(AuditRecord(.accountRemoved, account: account, from: origin, at: now))
    // End the sessions before removing the account: this queues the logout deliveries, which stay in the queue when the
    // account is removed. The revocation reason does not matter, because the grants are removed too.
    try SessionEnd.endAll(of: account, reason: .accountDisabled, recorded, at: now, in: &tx)
    _ = try tx.removeAccount(account, recorded)
  }
}
