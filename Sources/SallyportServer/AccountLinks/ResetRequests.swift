import SallyportProtocol

/// Mails links to users who have forgotten their passwords.
///
/// Neither the response nor, as far as possible, its duration shows whether an account exists: each request is one
/// transaction that raises counters, and mail is sent later.
package struct ResetRequests: Sendable {
  let links: AccountLinks
  private let counters: KeyedLimits

  /// The maximum numbers of requests within ``window`` that have the same text, concern the same account, or come from
  /// the same network.
  static var limits: (text: Int, account: Int, network: Int) { (5, 3, 20) }
  package static var window: Duration { .seconds(3_600) }
  /// The maximum number of accounts with the same email address that get a link.
  private static var maximumAccounts: Int { 5 }

  init(links: AccountLinks, masterKey: MasterKey) {
    self.links = links
    self.counters = KeyedLimits(name: "reset request", key: masterKey.key(for: "reset requests"))
  }

  package enum Outcome: Sendable, Equatable {
    /// The server mails a link to each enabled account with this user name or verified email address, if the account
    /// has a verified address and there were not too many requests with this text, for this account, or for its
    /// address. The user does not learn whether there is such an account.
    case accepted
    /// There were too many requests from this network.
    case throttled
  }

  /// Mails a link to each account with this user name or verified email address.
  /// - Parameter text: The user name or the email address that the user entered.
  package func request(
    _ text: String, from address: ClientAddress, origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    let (username, email, now) = (Username(text), EmailAddress(StorableText.trimmed(text)), self.links.now())
    // A text with more than 128 bytes is not a user name, but can be an email address.
    let subject = Array((username?.value ?? email?.value.lowercased() ?? "").utf8)
    let textLimit = self.limit("text", subject, Self.limits.text)
    let networkLimit = self.limit("network", address.network, Self.limits.network)
    // Links are created before the transaction, even if no account gets one, so that all requests take the same time.
    let newLinks = (0..<Self.maximumAccounts).map { _ in self.links.newLink() }
    let outcome = try await self.links.store.write { (tx) throws(StoreError) -> Outcome in
      if !address.network.isEmpty, try !networkLimit.countUnlessReached(in: &tx, at: now) { return .throttled }
      guard try textLimit.countUnlessReached(in: &tx, at: now) else { return .accepted }
      var accounts =
        try email.map { (email) throws(StoreError) in
          try tx.accounts(withVerifiedEmail: email.value, limit: Self.maximumAccounts)
        } ?? []
      if let username, let account = try tx.account(named: username), !accounts.contains(where: { $0.id == account.id }) {
        accounts.insert(account, at: 0)
      }
      var isCounted = false
      for (account, link) in zip(accounts, newLinks) {
        guard account.disabledAt == nil, account.emailVerifiedAt != nil,
          let recipient = account.email.flatMap({ EmailAddress($0) })
        else { continue }
        isCounted = true
        guard try self.countMail(toAccount: account.id.rawValue.utf8, recipient.value.lowercased().utf8, in: &tx, at: now)
        else { continue }
        try AccountLinks.store(
          link, for: .passwordReset, of: account, to: recipient, keepingOthers: true, from: origin, at: now, in: &tx)
      }
      // If no account can get a link, as many counters are raised as for one account, so that the duration does not
      // show whether an account exists.
      if !isCounted { _ = try self.countMail(toAccount: subject, subject, in: &tx, at: now) }
      return .accepted
    }
    self.links.mailSignal.send()
    return outcome
  }

  /// Counts a mail to an account and to its address. With only the limit per account, which is three mails an hour, an
  /// attacker could have 72 messages a day sent to a user.
  /// - Returns: Whether the mail may be sent.
  private func countMail(
    toAccount account: some Sequence<UInt8>, _ address: some Sequence<UInt8>, in tx: inout some StoreTransaction,
    at now: Timestamp
  ) throws(StoreError) -> Bool {
    guard try self.limit("account", account, Self.limits.account).countUnlessReached(in: &tx, at: now) else { return false }
    return try self.links.recipients.countLink(to: address, in: &tx, at: now)
  }

  private func limit(_ kind: String, _ subject: some Sequence<UInt8>, _ maximum: Int) -> StoredLimit {
    self.counters.limit(kind, subject, maximum, in: Self.window)
  }
}
