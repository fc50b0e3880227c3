public import SallyportProtocol

/// The people who can sign in: adding, listing, disabling, passwords, and the check of a password.
public struct Accounts: Sendable {
  let store: any Store
  let hasher: any PasswordHasher
  let now: TimeSource

  public init(store: any Store, hasher: any PasswordHasher, now: @escaping TimeSource = Timestamp.now) {
    self.store = store
    self.hasher = hasher
    self.now = now
  }

  /// The outcome of a person's attempt to sign in.
  package enum SignIn: Sendable {
    case success(AccountRecord)
    /// No such account, a wrong password or a disabled account: nobody is told which.
    case refused(AuditReason)
    /// Too many are waiting.
    case overloaded
  }

  /// - Parameter username: nil for a text that can be no name.
  package func account(named username: Username?) async throws(StoreError) -> AccountRecord? {
    guard let username else { return nil }
    return try await self.store.read { (tx) throws(StoreError) in try tx.account(named: username) }
  }

  /// Checks a password, in the same time whether or not there is such an account. ``PasswordSignIn`` counts who asks.
  package func check(_ password: Secret<String>, of account: AccountRecord?) async throws -> SignIn {
    let signedIn: AccountRecord
    do throws(PasswordHasherError) {
      let isRight = try await self.hasher.verify(password, against: account?.passwordHash)
      guard isRight, let account, account.disabledAt == nil else {
        return .refused(account == nil ? .unknownAccount : isRight ? .accountDisabled : .wrongPassword)
      }
      signedIn = account
    } catch {
      switch error {
      case .overloaded: return .overloaded
      case .passwordTooLong: return .refused(account == nil ? .unknownAccount : .wrongPassword)
      case .failed: throw error
      }
    }
    try await self.renewHash(of: signedIn, password)
    return .success(signedIn)
  }

  /// Replaces a hash that was made with other costs, now that the password is at hand. It is still the same password, so nothing
  /// ends and no time changes. A pool that is full leaves it to the next sign-in.
  private func renewHash(of account: AccountRecord, _ password: Secret<String>) async throws(StoreError) {
    guard self.hasher.needsRehash(account.passwordHash), let hash = try? await self.hasher.hash(password) else { return }
    // A password that was changed meanwhile stays changed.
    _ = try await self.store.write { (tx) throws(StoreError) in
      try tx.renewPasswordHash(account.passwordHash, by: hash, of: account.id)
    }
  }

  /// Adds an account.
  /// - Throws: ``AccountError``, `PasswordHasherError` or ``StoreError``.
  public func add(
    username: String, password: Secret<String>, name: String? = nil, email: String? = nil, from origin: AuditOrigin = .command
  ) async throws -> AccountRecord {
    guard let username = Username(username) else { throw AccountError.invalidUsername }
    try Self.check(password)
    let now = self.now()
    let account = AccountRecord(
      id: .random(), username: username, passwordHash: try await self.hasher.hash(password), passwordChangedAt: now,
      name: name, email: email, createdAt: now)
    do {
      try await self.store.write { (tx) throws(StoreError) in
        try tx.insert(account)
        try tx.insert(AuditRecord(.accountAdded, account: account.id, from: origin, at: now))
      }
    } catch .conflict { throw AccountError.usernameTaken }
    return account
  }

  public func list() async throws(StoreError) -> [AccountRecord] {
    try await self.store.read { (tx) throws(StoreError) in try tx.accounts() }
  }

  /// Sets a new password. Everything that the old one gave ends: sessions, grants, refresh tokens (RFC 9700 §4.14.2).
  public func setPassword(
    _ password: Secret<String>, of username: String, from origin: AuditOrigin = .command
  ) async throws {
    try Self.check(password)
    let account = try await self.find(username)
    let hash = try await self.hasher.hash(password)
    // After the slow part, so that nothing that was allowed meanwhile looks newer than the change.
    let now = self.now()
    try await self.store.write { (tx) throws(StoreError) in
      let recorded = try tx.record(AuditRecord(.passwordChanged, account: account.id, from: origin, at: now))
      _ = try tx.setPasswordHash(hash, of: account.id, at: now, recorded)
      try SessionEnd.endAll(of: account.id, reason: .passwordChanged, recorded, at: now, in: &tx)
    }
  }

  /// Disables an account and ends everything that it has.
  public func disable(_ username: String, from origin: AuditOrigin = .command) async throws {
    let account = try await self.find(username)
    let now = self.now()
    try await self.store.write { (tx) throws(StoreError) in
      let recorded = try tx.record(AuditRecord(.accountDisabled, account: account.id, from: origin, at: now))
      _ = try tx.setDisabled(now, account: account.id, recorded)
      try SessionEnd.endAll(of: account.id, reason: .accountDisabled, recorded, at: now, in: &tx)
    }
  }

  private func find(_ username: String) async throws -> AccountRecord {
    guard let username = Username(username),
      let account = try await self.store.read({ (tx) throws(StoreError) in try tx.account(named: username) })
    else { throw AccountError.notFound }
    return account
  }

  /// NIST SP 800-63B §5.1.1.2: at least eight characters, and no rule about which.
  private static func check(_ password: Secret<String>) throws(AccountError) {
    guard password.reveal().count >= 8 else { throw .passwordTooShort }
  }
}

/// Why an account was not added or changed.
public enum AccountError: Error, Equatable, Sendable {
  case invalidUsername
  case usernameTaken
  case passwordTooShort
  case notFound
}
