public import SallyportProtocol

/// The accounts of users: adds, lists, and disables accounts, and sets and checks passwords.
public struct Accounts: Sendable {
  let store: any Store
  let hasher: any PasswordHasher
  /// The rules for new passwords.
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

  /// The result of a password check.
  package enum SignIn: Sendable {
    case success(AccountRecord)
    /// The account does not exist, the password is wrong, or the account is disabled. The user does not learn which.
    case rejected(AuditReason)
    /// Too many password checks are waiting.
    case overloaded
  }

  /// - Parameter username: Nil if the text that the user entered is not a valid user name.
  package func account(named username: Username?) async throws(StoreError) -> AccountRecord? {
    guard let username else { return nil }
    return try await self.store.read { (tx) throws(StoreError) in try tx.account(named: username) }
  }

  /// Returns at most `limit` accounts that have this verified email address, oldest first. The case of ASCII letters
  /// does not matter.
  package func accounts(withVerifiedEmail email: String, limit: Int) async throws(StoreError) -> [AccountRecord] {
    try await self.store.read { (tx) throws(StoreError) in try tx.accounts(withVerifiedEmail: email, limit: limit) }
  }

  func account(_ id: AccountID) async throws(StoreError) -> AccountRecord? {
    try await self.store.read { (tx) throws(StoreError) in try tx.account(id) }
  }

  /// Checks a password. Rejecting a wrong password takes the same time whether or not the account exists, unless the
  /// hash of the account has outdated cost parameters.
  ///
  /// This function does not limit the number of attempts; ``PasswordSignIn`` does.
  package func check(_ password: Secret<String>, of account: AccountRecord?) async throws -> SignIn {
    let signedIn: AccountRecord
    do throws(PasswordHasherError) {
      // Without a hash, `verify` returns false after the usual time.
      let hash = account.flatMap { $0.hasPassword ? $0.passwordHash : nil }
      let isCorrect = try await self.hasher.verify(password, against: hash)
      guard isCorrect, let account, account.disabledAt == nil else {
        return .rejected(account == nil ? .unknownAccount : isCorrect ? .accountDisabled : .wrongPassword)
      }
      signedIn = account
    } catch {
      switch error {
      case .overloaded: return .overloaded
      case .passwordTooLong: return .rejected(account == nil ? .unknownAccount : .wrongPassword)
      case .failed: throw error
      }
    }
    return .success(try await self.renewHash(of: signedIn, password))
  }

  /// Replaces a hash whose cost parameters are outdated. Only a sign-in can do so, because a new hash requires the
  /// password.
  ///
  /// The password stays the same, so no session ends. If hashing fails, the next sign-in tries again.
  /// - Returns: The account with the new hash; the unchanged account if the hash was not replaced.
  private func renewHash(of account: AccountRecord, _ password: Secret<String>) async throws(StoreError) -> AccountRecord {
    guard self.hasher.needsRehash(account.passwordHash), let hash = try? await self.hasher.hash(password) else {
      return account
    }
    // The store replaces the hash only if the password has not been changed in the meantime.
    let isRenewed = try await self.store.write { (tx) throws(StoreError) in
      try tx.renewPasswordHash(account.passwordHash, by: hash, of: account.id)
    }
    var account = account
    if isRenewed { account.passwordHash = hash }
    return account
  }

  /// Adds an account.
  /// - Parameters:
  ///   - password: Must meet ``PasswordPolicy``.
  ///   - name: The user's full name. Surrounding white space is removed.
  ///   - email: The user's email address. Surrounding white space is removed.
  /// - Throws: ``AccountError``, ``PasswordHasherError``, or ``StoreError``.
  public func add(
    username: String, password: Secret<String>, name: String? = nil, email: String? = nil, from origin: AuditOrigin = .command
  ) async throws -> AccountRecord {
    // `Username` accepts a name that begins with a combining mark, because existing accounts may have one.
    guard let username = Username(username), !username.beginsWithCombiningMark else { throw AccountError.invalidUsername }
    let name = try name.flatMap { (text) throws(AccountError) in try ProfileText.name(text) }
    let email = try email.flatMap { (text) throws(AccountError) in try ProfileText.email(text) }
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

  /// Returns all accounts, sorted by user name.
  public func list() async throws(StoreError) -> [AccountRecord] {
    try await self.store.allAccounts()
  }

  /// Sets a new password, and ends the account's sessions, grants, and one-time links (RFC 9700 §4.14.2).
  /// - Parameter password: Must meet ``PasswordPolicy``.
  /// - Throws: ``AccountError``, ``PasswordHasherError``, or ``StoreError``.
  public func setPassword(
    _ password: Secret<String>, of username: String, from origin: AuditOrigin = .command
  ) async throws {
    let account = try await self.find(username)
    if let violation = try await self.violation(by: password, of: account) { throw AccountError.password(violation) }
    let hash = try await self.hasher.hash(password)
    // Take the time after hashing, so that everything created in the meantime is older than the change.
    let now = self.now()
    try await self.store.write { (tx) throws(StoreError) in
      try Self.setPassword(hash, of: account.id, from: origin, at: now, in: &tx)
    }
  }

  /// Disables an account, and ends its sessions, grants, and one-time links.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  public func disable(_ username: String, from origin: AuditOrigin = .command) async throws {
    let account = try await self.find(username)
    let now = self.now()
    try await self.store.write { (tx) throws(StoreError) in
      let recorded = try tx.record(AuditRecord(.accountDisabled, account: account.id, from: origin, at: now))
      _ = try tx.setDisabled(now, account: account.id, recorded)
      try SessionEnd.endAll(of: account.id, reason: .accountDisabled, recorded, at: now, in: &tx)
    }
  }

  /// Returns the account with this user name.
  /// - Throws: ``AccountError/notFound`` or ``StoreError``.
  package func find(_ username: String) async throws -> AccountRecord {
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
  case invalidName
  case invalidEmail
  case notFound
}

extension Store {
  /// Returns all accounts, sorted by user name. Reads them in several transactions, because the time of one transaction
  /// is limited. Accounts that are added or removed meanwhile may be missing.
  package func allAccounts(pageSize: Int = 1_000) async throws(StoreError) -> [AccountRecord] {
    var accounts: [AccountRecord] = []
    while true {
      let last = accounts.last?.username
      let page = try await self.read { (tx) throws(StoreError) in try tx.accounts(after: last, limit: pageSize) }
      accounts += page
      if page.count < pageSize { return accounts }
    }
  }
}
