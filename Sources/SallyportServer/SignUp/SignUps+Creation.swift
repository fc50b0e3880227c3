package import SallyportProtocol

// The creation of accounts.
extension SignUps {
  /// What the user enters.
  package struct NewAccount: Sendable {
    package var username: String
    /// The full name; empty for none.
    package var name: String
    package var password: Secret<String>
    package var repeatedPassword: Secret<String>

    package init(username: String, name: String, password: Secret<String>, repeatedPassword: Secret<String>) {
      self.username = username
      self.name = name
      self.password = password
      self.repeatedPassword = repeatedPassword
    }
  }

  package enum Outcome: Sendable {
    /// The account was created. The user is not signed in.
    case done(AccountRecord)
    /// The user can correct the entries and try again. The record is the link that the user has followed.
    case rejected(SignUpRecord, Failure)
    /// A user of another account has verified the email address of the link in the meantime.
    case accountExists
    /// The proof that the browser has consumed a link is missing, invalid, or expired; an account was already created
    /// with this link; or the server no longer accepts links of this kind.
    case expired
  }

  package enum Failure: Sendable, Equatable {
    /// The user name is not allowed.
    case usernameInvalid
    case usernameTaken
    case nameInvalid
    /// The password and its repetition differ.
    case entriesDiffer
    case password(PasswordPolicy.Violation)
    /// Too many passwords are being hashed.
    case overloaded
    /// There were too many attempts with this link. Without a limit, one link could be used to search for user names.
    case throttled
  }

  /// The maximum number of attempts with one link within an hour.
  static var maximumAttempts: Int { 30 }

  /// Creates an account for the user whose browser has consumed a link.
  ///
  /// One transaction adds the account and removes the link. If two users choose the same name at the same time, only
  /// one gets it. If two attempts use the same link at the same time, only one creates an account.
  /// - Parameter proof: The proof that ``consume(_:)`` returned.
  /// - Throws: ``StoreError``, or any ``PasswordHasherError`` except ``PasswordHasherError/overloaded``.
  package func create(_ new: NewAccount, proof: String?, from origin: AuditOrigin) async throws -> Outcome {
    guard let link = try await self.signUpLink(forProof: proof) else { return .expired }
    let started = self.now()
    let attempts = StoredLimit(
      "sign-up\nlink\n\(Base64URL.encode(link.fingerprint.bytes))", Self.maximumAttempts, in: .seconds(3_600))
    let isCounted = try await self.store.write { (tx) throws(StoreError) in
      try attempts.countUnlessReached(in: &tx, at: started)
    }
    guard isCounted else { return .rejected(link, .throttled) }
    let fields: (username: Username, name: String?)
    switch self.validate(new, link) {
    case .success(let valid): fields = valid
    case .failure(let failure): return .rejected(link, failure)
    }
    // Hashing takes long, so this check runs before it, and again in the transaction that adds the account.
    let conflict = try await self.store.read { (tx) throws(StoreError) in try Self.conflict(tx, link, fields.username) }
    if let conflict { return conflict }
    let hash: String
    do { hash = try await self.accounts.hasher.hash(new.password) } catch {
      guard error == .overloaded else { throw error }
      return .rejected(link, .overloaded)
    }
    let now = self.now()
    let account = AccountRecord(
      id: .random(), username: fields.username, passwordHash: hash, passwordChangedAt: now, name: fields.name,
      email: link.email, emailVerifiedAt: link.kind.provesAddress ? now : nil, createdAt: now)
    return try await self.insert(account, link, from: origin, at: now)
  }

  private func insert(
    _ account: AccountRecord, _ link: SignUpRecord, from origin: AuditOrigin, at now: Timestamp
  ) async throws(StoreError) -> Outcome {
    try await self.store.write { (tx) throws(StoreError) -> Outcome in
      if let conflict = try Self.conflict(tx, link, account.username) { return conflict }
      guard try tx.removeSignUp(link.fingerprint) else { return .expired }
      try tx.insert(account)
      try tx.insert(AuditRecord(.accountAdded, link.kind.reason, account: account.id, from: origin, at: now))
      if account.emailVerifiedAt != nil {
        try tx.insert(AuditRecord(.emailVerified, link.kind.reason, account: account.id, from: origin, at: now))
      }
      return .done(account)
    }
  }

  /// Returns why the account can no longer be created because of what other requests have stored; nil if it can be
  /// created.
  ///
  /// Checks the link first: if the user submits the form twice, the second request fails because the link was used, not
  /// because the first request has taken the name.
  private static func conflict(
    _ snapshot: borrowing any StoreSnapshot, _ link: SignUpRecord, _ username: Username
  ) throws(StoreError) -> Outcome? {
    guard try snapshot.signUp(link.fingerprint) != nil else { return .expired }
    guard try snapshot.account(named: username) == nil else { return .rejected(link, .usernameTaken) }
    // An operator can invite several users with the same address, such as a family.
    if link.kind == .request, try !snapshot.accounts(withVerifiedEmail: link.email, limit: 1).isEmpty { return .accountExists }
    return nil
  }

  private func validate(_ new: NewAccount, _ link: SignUpRecord) -> Result<(username: Username, name: String?), Failure> {
    guard let username = Username(new.username), Self.isAllowed(username, email: link.email) else {
      return .failure(.usernameInvalid)
    }
    let name: String?
    do throws(AccountError) { name = try ProfileText.name(new.name) } catch { return .failure(.nameInvalid) }
    guard new.password.reveal() == new.repeatedPassword.reveal() else { return .failure(.entriesDiffer) }
    let names = [username.value, name, link.email].compactMap(\.self)
    if let violation = self.accounts.policy.violation(by: new.password, names: names) { return .failure(.password(violation)) }
    return .success((username, name))
  }

  /// Whether a user may choose this name: at most 64 Unicode scalars, which are letters, digits, combining marks,
  /// periods, hyphens, or underscores, beginning with a letter or a digit; or the user's own email address. A user
  /// who chose another user's email address could be mistaken for the owner of that address.
  static func isAllowed(_ username: Username, email: String) -> Bool {
    if username == Username(email) { return true }
    let scalars = username.value.unicodeScalars
    guard scalars.count <= 64, let first = scalars.first, Username.canBegin(with: first) else { return false }
    return scalars.allSatisfy { Username.isWord($0) || $0 == "." || $0 == "-" || $0 == "_" }
  }
}

extension SignUps.Failure: Error {}
