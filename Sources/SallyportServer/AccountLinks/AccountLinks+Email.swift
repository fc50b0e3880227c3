import SallyportProtocol

// Links with which users confirm email addresses.
extension AccountLinks {
  package enum EmailOutcome: Sendable, Equatable {
    case sent
    /// The server cannot send mail to the address.
    case invalid
    /// The address is already the verified address of the account.
    case unchanged
    /// The user has asked for too many links within an hour.
    case throttled
    /// The user has asked for too many links within a day, or too many were mailed to the address.
    case throttledToday
    /// The user must sign in again, with a passkey or two factors if the account has them.
    case signInNeeded
    /// The session has ended, or the account is disabled.
    case signedOut
  }

  /// The maximum numbers of links that a user can ask for within an hour and within 24 hours. Without limits, a user
  /// could flood other people's addresses with mail. ``RecipientLimits`` applies too, because several users can choose
  /// one address.
  private static var maximums: (perHour: Int, perDay: Int) { (5, 10) }

  /// Mails a link to an email address. The account keeps its address until the user opens the link and confirms the new
  /// address.
  package func sendEmailVerification(
    to text: String, in session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> EmailOutcome {
    guard let recipient = EmailAddress(text) else { return .invalid }
    let (link, now, changePolicy, recipients) = (self.newLink(), self.now(), self.changePolicy, self.recipients)
    let (fingerprint, id) = (session.record.fingerprint, session.account.id)
    let outcome = try await self.store.write { (tx) throws(StoreError) -> EmailOutcome in
      let account: AccountRecord
      switch try changePolicy.permission(tx, session: fingerprint, at: now) {
      case .granted(_, let current): account = current
      case .signInNeeded: return .signInNeeded
      case .signedOut: return .signedOut
      }
      if account.email == recipient.value, account.emailVerifiedAt != nil { return .unchanged }
      // A request that exceeds one of the limits counts toward none of them.
      let perHour = StoredLimit("email verification\n\(id.rawValue)", Self.maximums.perHour, in: .seconds(3_600))
      let perDay = StoredLimit("email verification per day\n\(id.rawValue)", Self.maximums.perDay, in: RecipientLimits.day)
      guard try !perDay.isReached(tx, at: now) else { return .throttledToday }
      guard try !perHour.isReached(tx, at: now) else { return .throttled }
      guard try recipients.countVerification(to: recipient, in: &tx, at: now) else { return .throttledToday }
      _ = try perDay.countUnlessReached(in: &tx, at: now)
      _ = try perHour.countUnlessReached(in: &tx, at: now)
      try Self.store(link, for: .emailVerification, of: account, to: recipient, from: origin, at: now, in: &tx)
      return .sent
    }
    if outcome == .sent { self.mailSignal.send() }
    return outcome
  }

  /// Sets the address of a link as the verified address of the account.
  ///
  /// Only the user who asked for the link can use it. Otherwise, an attacker could have a link mailed to someone else's
  /// address. If the recipient opened the link and confirmed by mistake, the address would become the verified address
  /// of the attacker's account.
  ///
  /// If the account has a factor besides its password, the user must have been authenticated with a passkey or two
  /// factors, even if the factor was added after the user asked for the link.
  /// - Returns: ``ChangeOutcome/nothingToDo`` if the link cannot be used.
  package func confirmEmail(
    _ token: String, in session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> ChangeOutcome {
    guard let found = try await self.find(token), found.link.purpose == .emailVerification, let email = found.link.email,
      found.account.id == session.account.id
    else { return .nothingToDo }
    let (now, idle, changePolicy) = (self.now(), self.lifetimes.browserSessionIdle, self.changePolicy)
    let fingerprint = session.record.fingerprint
    return try await self.store.write { (tx) throws(StoreError) in
      guard let (live, account) = try tx.browserSessionAndAccount(fingerprint), live.isValid(at: now, idle: idle),
        account.disabledAt == nil, account.id == found.account.id
      else { return .signedOut }
      guard try changePolicy.factors(tx, of: account.id).permitChanges(with: live.authenticationMethods) else {
        return .signInNeeded
      }
      // No later step needs the link's record, so the record need not be kept longer than an unused one.
      guard try tx.consumeAccountLink(found.link.fingerprint, at: now, keepingUntil: now) else { return .nothingToDo }
      _ = try Accounts.setProfile(
        of: account, name: account.name, email: email, isEmailVerified: true, from: origin, at: now, in: &tx)
      return .done
    }
  }
}
