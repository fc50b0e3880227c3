public import SallyportProtocol

/// The people who can sign in: adding, listing, disabling, passwords, and the check of a password.
public struct Accounts: Sendable {
  let store: any Store
  let hasher: any PasswordHasher
  /// Which passwords are accepted as new ones.
  let policy: PasswordPolicy
  let now: TimeSource

  public init(
    store: any Store, hasher: any PasswordHasher, policy: PasswordPolicy = PasswordPolicy(),
    now: @escaping TimeSource = Timestamp.now
  ) {
    self.store = store
    self.hasher = hasher
    self.policy = policy
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

  func account(_ id: AccountID) async throws(StoreError) -> AccountRecord? {
    try await self.store.read { (tx) throws(StoreError) in try tx.account(id) }
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
    return .success(try await self.renewHash(of: signedIn, password))
  }

  /// Replaces a hash that was made with other costs, now that the password is at hand. It is still the same password, so nothing
  /// ends and no time changes. A pool that is full leaves it to the next sign-in.
  /// - Returns: the account with the hash that is stored now.
  private func renewHash(of account: AccountRecord, _ password: Secret<String>) async throws(StoreError) -> AccountRecord {
    guard self.hasher.needsRehash(account.passwordHash), let hash = try? await self.hasher.hash(password) else {
      return account
    }
    // A password that was changed meanwhile stays changed.
    let isRenewed = try await self.store.write { (tx) throws(StoreError) in
      try tx.renewPasswordHash(account.passwordHash, by: hash, of: account.id)
    }
    var account = account
    if isRenewed { account.passwordHash = hash }
    return account
  }

  /// Adds an account.
  /// - Parameter password: meets ``PasswordPolicy``.
  /// - Throws: ``AccountError``, `PasswordHasherError` or ``StoreError``.
  public func add(
    username: String, password: Secret<String>, name: String? = nil, email: String? = nil, from origin: AuditOrigin = .command
  ) async throws -> AccountRecord {
    guard let username = Username(username) else { throw AccountError.invalidUsername }
    let names = [username.value, name, email].compactMap(\.self)
    if let violation = self.policy.violation(by: password, names: names) { throw AccountError.password(violation) }
    let now = self.now()
    let account = AccountRecord(
      id: .random(), username: username, passwordHash: try await self.hasher.hash(password), passwordChangedAt: now,
      name: name, email: email, createdAt: now)
    do throws(StoreError) {
      try await self.store.write { (tx) throws(StoreError) in
        try tx.insert(account)
        try tx.insert(AuditRecord(.accountAdded, account: account.id, from: origin, at: now))
      }
    } catch {
      guard error == .conflict else { throw error }
      throw AccountError.usernameTaken
    }
    return account
  }

  public func list() async throws(StoreError) -> [AccountRecord] {
    try await self.store.read { (tx) throws(StoreError) in try tx.accounts() }
  }

  /// Sets a new password. Everything that the old one gave ends: sessions, grants, refresh tokens (RFC 9700 §4.14.2).
  public func setPassword(
    _ password: Secret<String>, of username: String, from origin: AuditOrigin = .command
  ) async throws {
    let account = try await self.find(username)
    if let violation = self.violation(by: password, of: account) { throw AccountError.password(violation) }
    let hash = try await self.hasher.hash(password)
    // After the slow part, so that nothing that was allowed meanwhile looks newer than the change.
    let now = self.now()
    try await self.store.write { (tx) throws(StoreError) in
      try Self.setPassword(hash, of: account.id, from: origin, at: now, in: &tx)
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
}

/// Why an account was not added or changed.
public enum AccountError: Error, Equatable, Sendable {
  case invalidUsername
  case usernameTaken
  /// The password does not meet ``PasswordPolicy``.
  case password(PasswordPolicy.Violation)
  case notFound
}
