package import SallyportProtocol

// Links that operators create.
extension AccountLinks {
  /// Creates the link with which an invited user chooses the first password of an account. Adds the account if it does
  /// not exist.
  /// - Parameters:
  ///   - name: The full name of a new account, or the new name of an existing one; nil to leave it unchanged.
  ///   - email: The email address of a new account, or of an existing one that has none; nil to leave it unchanged.
  ///   - isMailed: Whether to mail the link to the account's address.
  /// - Throws: ``AccountLinkError``, ``AccountError``, or ``StoreError``.
  package func invite(
    _ username: String, name: String? = nil, email: String? = nil, isMailed: Bool, from origin: AuditOrigin = .command
  ) async throws -> Secret<String> {
    guard let username = Username(username) else { throw AccountError.invalidUsername }
    // `ProfileText` returns nil for an empty text, which therefore changes nothing.
    let newName: String? = if let name { try ProfileText.name(name) } else { nil }
    let newEmail: String? = if let email { try ProfileText.email(email) } else { nil }
    let (link, now) = (self.newLink(), self.now())
    let result: Result<Void, AccountLinkError>
    do throws(StoreError) {
      result = try await self.store.write { (tx) throws(StoreError) in
        let invited = try Self.invitedAccount(username, name: newName, email: newEmail, from: origin, at: now, in: &tx)
        guard case .success(let account) = invited else { return invited.map { _ in () } }
        let recipient = isMailed ? account.email.flatMap { EmailAddress($0) } : nil
        // Throw instead of returning a failure, so that the transaction is rolled back: a new account would be useless
        // without its link.
        if isMailed, recipient == nil { throw .rolledBack }
        try Self.store(link, for: .invitation, of: account, to: recipient, from: origin, at: now, in: &tx)
        return .success(())
      }
    } catch {
      guard error == .rolledBack else { throw error }
      throw AccountLinkError.noAddress
    }
    try result.get()
    self.mailSignal.send()
    return link.url
  }

  /// Returns the account for an invitation. Adds the account if it does not exist.
  private static func invitedAccount(
    _ username: Username, name: String?, email: String?, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) -> Result<AccountRecord, AccountLinkError> {
    if let account = try tx.account(named: username) {
      if account.hasPassword { return .failure(.hasPassword) }
      if account.disabledAt != nil { return .failure(.disabled) }
      // Without this check, an operator who mistypes the user name would send another user's link to this address.
      if let email, let current = account.email, current != email { return .failure(.otherAddress) }
      let changed = try Accounts.setProfile(
        of: account, name: name ?? account.name, email: email ?? account.email, from: origin, at: now, in: &tx)
      return .success(changed ?? account)
    }
    guard !username.beginsWithCombiningMark else { return .failure(.invalidUsername) }
    let account = AccountRecord(
      id: .random(), username: username, passwordHash: AccountRecord.noPassword, passwordChangedAt: now, name: name,
      email: email, createdAt: now)
    try tx.insert(account)
    try tx.insert(AuditRecord(.accountAdded, .invitation, account: account.id, from: origin, at: now))
    return .success(account)
  }

  /// Creates the link with which a user chooses a new password.
  /// - Parameter isMailed: Whether to mail the link to the account's address.
  /// - Throws: ``AccountLinkError``, ``AccountError``, or ``StoreError``.
  package func reset(
    _ username: String, isMailed: Bool, from origin: AuditOrigin = .command
  ) async throws -> Secret<String> {
    let id = try await self.accounts.find(username).id
    let (link, now) = (self.newLink(), self.now())
    let result = try await self.store.write { (tx) throws(StoreError) -> Result<Void, AccountLinkError> in
      guard let account = try tx.account(id) else { return .failure(.notFound) }
      guard account.disabledAt == nil else { return .failure(.disabled) }
      let recipient = isMailed ? account.email.flatMap { EmailAddress($0) } : nil
      if isMailed, recipient == nil { return .failure(.noAddress) }
      try Self.store(link, for: .passwordReset, of: account, to: recipient, from: origin, at: now, in: &tx)
      return .success(())
    }
    try result.get()
    self.mailSignal.send()
    return link.url
  }
}

/// Why an operator's link was not created.
package enum AccountLinkError: Error, Equatable, Sendable {
  /// The name of the new account begins with a combining mark.
  case invalidUsername
  case disabled
  /// The account was removed in the meantime.
  case notFound
  /// The invited account already has a password.
  case hasPassword
  /// The invited account already has a different email address.
  case otherAddress
  /// The link was to be mailed, but the account has no email address to which the server can send mail.
  case noAddress
}
