import Crypto
import SallyportProtocol

/// Mails links to users who have forgotten their passwords.
///
/// The response does not depend on whether an account exists, and its duration hardly does: each request is one
/// transaction that raises counters, and mail is sent later.
package struct ResetRequests: Sendable {
  let links: AccountLinks
  private let key: SymmetricKey

  /// The number of requests in ``window`` for one text that users enter, for one account, and for one network.
  static var limits: (text: Int, account: Int, network: Int) { (5, 3, 20) }
  static var window: Duration { .seconds(3_600) }
  /// The number of counters of each kind. It is limited, so that made-up names cannot fill the store.
  private static var counters: UInt32 { 1 << 18 }
  /// The maximum number of accounts with the same email address that get a link.
  private static var maximumAccounts: Int { 5 }

  init(links: AccountLinks, masterKey: MasterKey) {
    self.links = links
    self.key = masterKey.key(for: "reset requests")
  }

  package enum Outcome: Sendable, Equatable {
    /// A link is mailed to each such account that is enabled and has a verified email address, unless there were too
    /// many requests for it. The user does not learn whether there is such an account.
    case accepted
    /// There were too many requests from this network.
    case throttled
  }

  /// Mails a link to each account with this user name or verified email address.
  package func request(
    _ text: String, from address: ClientAddress, origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    let (username, email, now) = (Username(text), EmailAddress(text), self.links.now())
    let textLimit = self.limit("text", Array((username?.value ?? "").utf8), Self.limits.text)
    let networkLimit = self.limit("network", address.network, Self.limits.network)
    // Created before the transaction, so that requests without an account take the same time.
    let newLinks = (0..<Self.maximumAccounts).map { _ in self.links.newLink() }
    let outcome = try await self.links.store.write { (tx) throws(StoreError) -> Outcome in
      if !address.network.isEmpty, try !networkLimit.count(in: &tx, at: now) { return .throttled }
      guard try textLimit.count(in: &tx, at: now) else { return .accepted }
      var accounts =
        try email.map { (email) throws(StoreError) in
          try tx.accounts(withVerifiedEmail: email.value, limit: Self.maximumAccounts)
        } ?? []
      if let username, let named = try tx.account(named: username), !accounts.contains(where: { $0.id == named.id }) {
        accounts.insert(named, at: 0)
      }
      for (account, link) in zip(accounts, newLinks) {
        guard account.disabledAt == nil, account.emailVerifiedAt != nil,
          let recipient = account.email.flatMap({ EmailAddress($0) }),
          try self.limit("account", Array(account.id.rawValue.utf8), Self.limits.account).count(in: &tx, at: now)
        else { continue }
        try AccountLinks.store(link, for: .passwordReset, of: account, to: recipient, from: origin, at: now, in: &tx)
      }
      return .accepted
    }
    self.links.mailSignal.send()
    return outcome
  }

  private func limit(_ kind: String, _ subject: [UInt8], _ maximum: Int) -> StoredLimit {
    let digest = Array(HMAC<SHA256>.authenticationCode(for: Array("\(kind)\n".utf8) + subject, using: self.key))
    let number = digest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } % Self.counters
    return StoredLimit("reset request\n\(kind)\n\(number)", maximum, in: Self.window)
  }
}
