package import SallyportProtocol

extension Accounts {
  /// Why the account's password would not be accepted as a new one; nil for a password that would.
  package func violation(by password: Secret<String>, of account: AccountRecord) -> PasswordPolicy.Violation? {
    let names = [account.username.value, account.name, account.email].compactMap(\.self)
    return self.policy.violation(by: password, names: names)
  }

  /// Sets the password that a user has chosen after signing in with the old one. Everything that the old one gave ends.
  /// - Parameter account: as it was when the old password was checked.
  /// - Returns: the account as it is now; nil if it has changed since.
  func changePassword(
    of account: AccountRecord, to password: Secret<String>, from origin: AuditOrigin
  ) async throws -> AccountRecord? {
    let hash = try await self.hasher.hash(password)
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      guard let current = try tx.account(account.id), current == account, current.disabledAt == nil else { return nil }
      try Self.setPassword(hash, of: account.id, .person, from: origin, at: now, in: &tx)
      return try tx.account(account.id)
    }
  }

  /// Sets a password's hash, and ends everything that the old password gave.
  static func setPassword(
    _ hash: String, of account: AccountID, _ reason: AuditReason? = nil, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    let recorded = try tx.record(AuditRecord(.passwordChanged, reason, account: account, from: origin, at: now))
    _ = try tx.setPasswordHash(hash, of: account, at: now, recorded)
    try SessionEnd.endAll(of: account, reason: .passwordChanged, recorded, at: now, in: &tx)
  }
}
