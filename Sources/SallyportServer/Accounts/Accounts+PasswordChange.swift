package import SallyportProtocol

extension Accounts {
  /// Returns why the policy does not accept a new password for the account, or nil if it accepts the password.
  package func violation(by password: Secret<String>, of account: AccountRecord) -> PasswordPolicy.Violation? {
    let names = [account.username.value, account.name, account.email].compactMap(\.self)
    return self.policy.violation(by: password, names: names)
  }

  /// Sets a password that the user chose, and ends the account's sessions and grants.
  /// - Parameters:
  ///   - account: The account as it was when the user's proof was checked (``PasswordChangeProofs``).
  ///   - reason: How the user proved to be allowed to change the password.
  /// - Returns: The updated account; nil if the account was changed or disabled in the meantime.
  func changePassword(
    of account: AccountRecord, to password: Secret<String>, _ reason: AuditReason = .user, from origin: AuditOrigin
  ) async throws -> AccountRecord? {
    let hash = try await self.hasher.hash(password)
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      guard let current = try tx.account(account.id), current == account, current.disabledAt == nil else { return nil }
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
