import SallyportProtocol

// Links with which users confirm email addresses.
extension AccountLinks {
  package enum EmailOutcome: Sendable, Equatable {
    case sent
    /// The server cannot send mail to the address.
    case invalid
    /// The address is already the verified address of the account.
    case unchanged
    /// The user has asked for too many links.
    case throttled
    /// The user must sign in again, with a passkey or two factors if the account has them.
    case signInNeeded
    /// The session has ended, or the account is disabled.
    case signedOut
  }

  /// The maximum number of links that a user can ask for within an hour. Without a limit, a user could flood
  /// other people's addresses with mail.
  private static var maximumPerHour: Int { 5 }

  /// Mails a link to an email address. The account keeps its address until the user opens the link and confirms the new
  /// address.
  package func sendEmailVerification(
    to text: String, in session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> EmailOutcome {
    guard let recipient = EmailAddress(text) else { return .invalid }
    let (link, now, rule) = (self.newLink(), self.now(), self.rule)
    let (fingerprint, id) = (session.record.fingerprint, session.account.id)
    let outcome = try await self.store.write { (tx) throws(StoreError) -> EmailOutcome in
      let account: AccountRecord
      switch try rule.permission(tx, session: fingerprint, at: now) {
      case .granted(_, let current): account = current
      case .signInNeeded: return .signInNeeded
      case .signedOut: return .signedOut
      }
      if account.email == recipient.value, account.emailVerifiedAt != nil { return .unchanged }
      let limit = StoredLimit("email verification\n\(id.rawValue)", Self.maximumPerHour, in: .seconds(3_600))
      guard try limit.countUnlessReached(in: &tx, at: now) else { return .throttled }
      try Self.store(link, for: .emailVerification, of: account, to: recipient, from: origin, at: now, in: &tx)
      return .sent
    }
    if outcome == .sent { self.mailSignal.send() }
    return outcome
  }

  /// Sets the address of a link as the verified address of the account.
  ///
  /// Only the user who asked for the link can use it. Otherwise, an attacker could have a link mailed to someone else's
  /// address. If the recipient confirmed it by mistake, it would become the verified address of the attacker's account.
  ///
  /// If the account has a factor besides its password, the user must have been authenticated with a passkey or two factors,
  /// even if the factor was added after the user asked for the link.
  /// - Returns: ``ChangeOutcome/nothingToDo`` if the link cannot be used.
  package func confirmEmail(
    _ token: String, in session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> ChangeOutcome {
    guard let found = try await self.find(token), found.link.purpose == .emailVerification, let email = found.link.email,
      found.account.id == session.account.id
    else { return .nothingToDo }
    let (now, idle, rule) = (self.now(), self.lifetimes.browserSessionIdle, self.rule)
    let fingerprint = session.record.fingerprint
    return try await self.store.write { (tx) throws(StoreError) in
      guard let (live, account) = try tx.browserSessionAndAccount(fingerprint), live.isValid(at: now, idle: idle),
        account.disabledAt == nil, account.id == found.account.id
      else { return .signedOut }
      guard try rule.factors(tx, of: account.id).permitChanges(with: live.authenticationMethods) else { return .signInNeeded }
      guard try tx.consumeAccountLink(found.link.fingerprint, at: now, keepingUntil: now) else { return .nothingToDo }
      _ = try Accounts.setProfile(
        of: account, name: account.name, email: email, isEmailVerified: true, from: origin, at: now, in: &tx)
      return .done
    }
  }
}
