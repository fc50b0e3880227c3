package import SallyportProtocol

// Requests for sign-up links, by visitors and by operators.
extension SignUps {
  package enum RequestOutcome: Sendable, Equatable {
    /// A mail is on its way, unless there were too many requests for the address. The visitor does not learn whether
    /// the address has an account.
    case accepted
    /// The text is not an email address to which the server can send mail, or users cannot sign up without an
    /// invitation.
    case invalid
    /// There were too many requests from this network.
    case throttled
    /// There were too many requests from all networks together.
    case overloaded
  }

  /// The maximum numbers of requests: from one network within an hour, for one email address within an hour, and for
  /// one email address within a day.
  static var maximumRequests: (network: Int, address: Int, addressAndDay: Int) { (network: 10, address: 3, addressAndDay: 6) }
  private static var hour: Duration { .seconds(3_600) }

  /// Mails a sign-up link to an email address. If a user has verified this address, the mail instead says that there is
  /// an account.
  ///
  /// Neither the visible outcome nor, as far as possible, the work depends on whether there is an account: one
  /// transaction looks for the account, counts the request, and queues a mail with or without a link.
  package func request(
    _ text: String, from address: ClientAddress, origin: AuditOrigin
  ) async throws(StoreError) -> RequestOutcome {
    guard self.policy == .open, let email = EmailAddress(StorableText.trimmed(text)) else { return .invalid }
    let (link, now, subject) = (self.newLink(), self.now(), Array(email.value.lowercased().utf8))
    let maximums = Self.maximumRequests
    let network = self.limits.limit("network", address.network, maximums.network, in: Self.hour)
    let perHour = self.limits.limit("address", subject, maximums.address, in: Self.hour)
    let perDay = self.limits.limit("address and day", subject, maximums.addressAndDay, in: .seconds(86_400))
    let total = StoredLimit("sign-up\ntotal", self.maximumPerHour, in: Self.hour)
    let outcome = try await self.store.write { (tx) throws(StoreError) -> RequestOutcome in
      if !address.network.isEmpty, try !network.countUnlessReached(in: &tx, at: now) { return .throttled }
      // The total is checked before the limits of the address, but counted after them. A request that exceeds a limit
      // of the address therefore does not use up the total. It sends no mail, but its outcome is still `accepted`.
      guard try !total.isReached(tx, at: now) else { return .overloaded }
      guard try perHour.countUnlessReached(in: &tx, at: now), try perDay.countUnlessReached(in: &tx, at: now),
        try total.countUnlessReached(in: &tx, at: now)
      else { return .accepted }
      if let account = try tx.accounts(withVerifiedEmail: email.value, limit: 1).first {
        let content = MailContent(
          .accountExists, username: account.username.value, language: account.chosenLanguage ?? origin.language)
        try tx.insert(MailRecord(content, to: email, at: now))
      } else {
        try Self.store(link, .request, for: email, from: origin, at: now, in: &tx)
      }
      return .accepted
    }
    self.mailSignal.send()
    return outcome
  }

  /// Creates the link with which an invited user chooses a user name and a password.
  /// - Parameter isMailed: Whether to mail the link to the address.
  /// - Throws: ``SignUpError`` or ``StoreError``.
  package func invite(_ text: String, isMailed: Bool, from origin: AuditOrigin = .command) async throws -> Secret<String> {
    guard self.policy != .off else { throw SignUpError.off }
    guard let email = EmailAddress(StorableText.trimmed(text)) else { throw SignUpError.invalidEmail }
    let (link, now) = (self.newLink(), self.now())
    try await self.store.write { (tx) throws(StoreError) in
      try Self.store(link, isMailed ? .mailedInvitation : .invitation, for: email, from: origin, at: now, in: &tx)
    }
    self.mailSignal.send()
    return link.url
  }
}

/// Why an invitation was not created.
package enum SignUpError: Error, Equatable, Sendable {
  /// Only operators add accounts (``SignUpPolicy/off``).
  case off
  /// The server cannot send mail to the address.
  case invalidEmail
}
