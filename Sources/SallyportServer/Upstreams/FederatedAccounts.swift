import SallyportProtocol

/// Finds the account of a user of an upstream, and connects or creates accounts.
struct FederatedAccounts: Sendable {
  let store: any Store
  let changePolicy: SensitiveChangePolicy
  let now: TimeSource

  /// Returns the account of a user.
  ///
  /// If the user's identity is connected with an account, returns this account, even if it is disabled. Otherwise,
  /// looks for accounts with the user's verified email address, if the operator trusts the upstream for the domain of
  /// the address:
  ///
  /// - If several accounts have this verified address, the sign-in fails.
  /// - If one account has the address, the identity is connected with this account. The sign-in fails, however, if the
  ///   account is disabled, or if it has a passkey, an authenticator app, or recovery codes: only a user who has used
  ///   one of these may add a way to sign in (decision 0136). The user can connect the identity on the account page
  ///   instead.
  /// - If no account has the address, or the user has no trusted address, an account is created if the operator allows
  ///   this.
  func account(
    of user: FederatedUser, _ upstream: Upstream, from origin: AuditOrigin
  ) async throws(StoreError) -> Result<AccountRecord, UpstreamFailure> {
    do throws(StoreError) {
      return try await self.attempt(user, upstream, from: origin)
    } catch .conflict {
      // Another request has connected the same user, or has taken the user name, at the same time.
      return try await self.attempt(user, upstream, from: origin)
    }
  }

  /// Returns the account with which a user's identity is connected; nil if there is none.
  func connected(_ user: FederatedUser) async throws(StoreError) -> AccountRecord? {
    let (issuer, subject) = (user.issuer, user.subject)
    return try await self.store.read { (tx) throws(StoreError) in
      guard let identity = try tx.federatedIdentity(issuer: issuer, subject: subject) else { return nil }
      return try tx.account(identity.account)
    }
  }

  private func attempt(
    _ user: FederatedUser, _ upstream: Upstream, from origin: AuditOrigin
  ) async throws(StoreError) -> Result<AccountRecord, UpstreamFailure> {
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      if let identity = try tx.federatedIdentity(issuer: user.issuer, subject: user.subject) {
        return try tx.account(identity.account).map { .success($0) } ?? .failure(.noAccount)
      }
      let trustedEmail = Self.trustedEmail(of: user, upstream)
      if let trustedEmail {
        let owners = try tx.accounts(withVerifiedEmail: trustedEmail.value, limit: 2)
        guard owners.count < 2 else { return .failure(.noAccount) }
        if let owner = owners.first {
          guard owner.disabledAt == nil else { return .failure(.accountRejected) }
          guard try !self.changePolicy.factors(tx, of: owner.id).hasAny else { return .failure(.noAccount) }
          try Self.connect(user, with: owner.id, upstream, .verifiedEmail, session: nil, from: origin, at: now, in: &tx)
          return .success(owner)
        }
      }
      guard upstream.record.details.accounts == .create else { return .failure(.noAccount) }
      let account = AccountRecord(
        id: .random(), username: try Self.username(for: user, upstream, in: tx), passwordHash: AccountRecord.noPassword,
        passwordChangedAt: now, name: (user.chosen.name ?? user.name).flatMap { try? ProfileText.name($0) },
        email: user.verifiedEmail?.value, emailVerifiedAt: trustedEmail == nil ? nil : now, createdAt: now)
      try tx.insert(account)
      try tx.insert(AuditRecord(.accountAdded, .upstream, account: account.id, subject: upstream.id, from: origin, at: now))
      try tx.insert(Self.identity(of: user, account.id, at: now))
      return .success(account)
    }
  }

  /// Connects an identity with an account.
  static func connect(
    _ user: FederatedUser, with account: AccountID, _ upstream: Upstream, _ reason: AuditReason, session: String?,
    from origin: AuditOrigin, at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) {
    try tx.insert(
      AuditRecord(
        .identityConnected, reason, account: account, session: session, subject: upstream.id, from: origin, at: now))
    try tx.insert(self.identity(of: user, account, at: now))
  }

  private static func identity(of user: FederatedUser, _ account: AccountID, at now: Timestamp) -> FederatedIdentityRecord {
    FederatedIdentityRecord(issuer: user.issuer, subject: user.subject, account: account, label: user.label, createdAt: now)
  }

  /// Returns the email address that the upstream says is verified. Returns nil if the operator does not trust the
  /// upstream for the domain of the address.
  static func trustedEmail(of user: FederatedUser, _ upstream: Upstream) -> EmailAddress? {
    guard let email = user.verifiedEmail, let domain = email.value.split(separator: "@").last?.lowercased(),
      upstream.record.details.trustedDomains.contains(domain)
    else { return nil }
    return email
  }

  /// The maximum number of bytes of a user name that is made from a claim, before a number is added.
  private static var maximumUsername: Int { 64 }

  /// Returns an unused user name, made from the claim that the operator chose. If this claim is missing or unusable,
  /// the name is made from `preferred_username` or the verified email address, or else from `user`.
  ///
  /// The part after an at sign is left out, because a user name that looks like an email address could be mistaken for
  /// a verified address.
  private static func username(
    for user: FederatedUser, _ upstream: Upstream, in tx: borrowing any StoreTransaction
  ) throws(StoreError) -> Username {
    // `user.chosen.username` is nil if the operator chose `preferred_username` or `email`.
    let claims = [user.preferredUsername, user.verifiedEmail?.value]
    let preferred = [user.chosen.username] + (upstream.record.details.usernameClaim == "email" ? claims.reversed() : claims)
    let base = preferred.lazy.compactMap(\.self).compactMap(self.usernameText).first ?? "user"
    // The first unused one of `name`, `name-2`, and so on to `name-99`. If all are used, a random suffix is added.
    for number in 1...99 {
      guard let name = Username(number == 1 ? base : "\(base)-\(number)") else { break }
      if try tx.account(named: name) == nil { return name }
    }
    guard let name = Username("\(base)-\(RandomText.base64URL(bits: 64).lowercased())") else { throw .rolledBack }
    return name
  }

  /// Returns the letters, digits, combining marks, periods, hyphens, and underscores of a claim before an at sign, from
  /// the first letter or digit on; nil if nothing is left.
  private static func usernameText(_ claim: String) -> String? {
    let local = claim.prefix { $0 != "@" }.lowercased().normalizedToNFC
    var text = String.UnicodeScalarView()
    var bytes = 0
    for scalar in local.unicodeScalars {
      let isAllowed =
        text.isEmpty ? Username.canBegin(with: scalar) : Username.isWord(scalar) || ".-_".unicodeScalars.contains(scalar)
      guard isAllowed else { continue }
      bytes += UTF8.width(scalar)
      guard bytes <= self.maximumUsername else { break }
      text.append(scalar)
    }
    return text.isEmpty ? nil : String(text)
  }
}
