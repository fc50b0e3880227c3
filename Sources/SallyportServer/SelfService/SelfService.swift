package import SallyportLanguages
import SallyportProtocol

/// What signed-in users do on the account page.
///
/// Each change checks in its own transaction that the session has not ended, and applies only to the account of the
/// session.
package struct SelfService: Sendable {
  let store: any Store
  let sessions: BrowserSessions
  let changePolicy: SensitiveChangePolicy
  let allowsDeletion: Bool
  /// How far back the security activity goes.
  package let activityPeriod: Duration

  package typealias Outcome = ChangeOutcome

  private var now: TimeSource { self.sessions.now }

  /// Returns what the account page shows; nil if the cookie belongs to no valid session.
  package func overview(_ cookie: String?) async throws(StoreError) -> AccountOverview? {
    let (now, idle, changePolicy) = (self.now(), self.sessions.lifetimes.browserSessionIdle, self.changePolicy)
    let activityPeriod = self.activityPeriod
    return try await self.sessions.active(cookie) { (tx, session) throws(StoreError) in
      try AccountOverview(tx, session, changePolicy, idle: idle, activityPeriod: activityPeriod, at: now)
    }?.value
  }

  /// Whether the user of a session was authenticated recently, by any method.
  package func isRecentlyAuthenticated(_ session: BrowserSessions.Active) -> Bool {
    session.isRecentlyAuthenticated(at: self.now())
  }

  /// Whether the user of a session may make sensitive changes (``SensitiveChangePolicy``) without authenticating again.
  /// The transaction of each change checks this again.
  package func permitsSensitiveChanges(_ session: BrowserSessions.Active) async throws(StoreError) -> Bool {
    guard self.isRecentlyAuthenticated(session) else { return false }
    return try await self.factors(of: session.account.id).permitChanges(with: session.record.authenticationMethods)
  }

  /// Returns the factors of an account besides its password.
  package func factors(of account: AccountID) async throws(StoreError) -> AccountFactors {
    let changePolicy = self.changePolicy
    return try await self.store.read { (tx) throws(StoreError) in try changePolicy.factors(tx, of: account) }
  }

  /// Sets the user's name.
  /// - Parameter name: The name; empty to remove it.
  /// - Throws: ``AccountError/invalidName`` or ``StoreError``.
  package func setName(
    _ name: String, in session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws -> Outcome {
    let name = try ProfileText.name(name)
    return try await self.change(session) { (tx, account, now) throws(StoreError) in
      let changed = try Accounts.setProfile(of: account, name: name, email: account.email, from: origin, at: now, in: &tx)
      return changed == account ? .nothingToDo : .done
    }
  }

  /// Sets the user's language.
  /// - Parameter language: Nil for the browser's language.
  package func setLanguage(
    _ language: Language?, in session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    try await self.change(session) { (tx, account, now) throws(StoreError) in
      let changed = try Accounts.setLanguage(language, of: account, from: origin, at: now, in: &tx)
      return changed == account ? .nothingToDo : .done
    }
  }

  /// Withdraws everything that the user has allowed a client: revokes its grants, and removes device approvals and
  /// remembered consents.
  package func withdrawAccess(
    of client: ClientID, in session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    try await self.change(session) { (tx, account, now) throws(StoreError) in
      let grants = try tx.grants(of: account.id).map(\.grant).filter { $0.client == client }
      let isConsented = try tx.consents(of: account.id).contains { $0.client == client }
      let isApproved = try tx.deviceApprovals(of: account.id).contains { $0.client == client }
      guard isConsented || isApproved || !grants.isEmpty else { return .nothingToDo }
      let recorded = try tx.record(
        AuditRecord(.accessRevoked, account: account.id, client: client, session: session.record.id, from: origin, at: now))
      for grant in grants { try tx.revokeGrant(grant.id, reason: .userRequest, at: now, recorded) }
      try tx.removeDeviceApprovals(of: account.id, client: client, recorded)
      try tx.removeConsents(of: account.id, client: client, recorded)
      return .done
    }
  }

  /// Signs the user out of other browsers.
  /// - Parameter id: The ``BrowserSessionRecord/id`` of the session to end; nil for all except `session`.
  package func signOutOtherBrowsers(
    _ id: String? = nil, in session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    let outcome = try await self.change(session) { (tx, account, now) throws(StoreError) -> Outcome in
      // Never ends the current session, even if `id` names it. Without an `id`, all other sessions end.
      let others = try tx.browserSessions(of: account.id).filter { other in
        other.fingerprint != session.record.fingerprint && (id == nil || other.id == id)
      }
      for other in others {
        try SessionEnd.end(other, SessionEnd.Cause(reason: .user, origin: origin), at: now, in: &tx)
      }
      return others.isEmpty ? .nothingToDo : .done
    }
    if outcome == .done { self.sessions.logoutSignal.send() }
    return outcome
  }

  /// Deletes the account of the session with its factors, sessions, consents, and grants. Records of the audit trail
  /// remain.
  /// - Returns: ``Outcome/notAllowed`` if the operator does not allow users to delete their accounts.
  package func deleteAccount(
    of session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    guard self.allowsDeletion else { return .notAllowed }
    let now = self.now()
    let outcome = try await self.store.change(session, by: self.changePolicy, at: now) { (tx, _, account) throws(StoreError) in
      try Accounts.remove(account.id, from: origin, at: now, in: &tx)
      return .done
    }
    if outcome == .done { self.sessions.logoutSignal.send() }
    return outcome
  }

  /// Runs `body` in a transaction. If the session is no longer valid or the account is disabled, returns
  /// ``Outcome/signedOut`` instead.
  private func change(
    _ session: BrowserSessions.Active,
    _ body:
      @escaping @Sendable (
        _ tx: inout any StoreTransaction, _ account: AccountRecord, _ now: Timestamp
      ) throws(StoreError) -> Outcome
  ) async throws(StoreError) -> Outcome {
    let (now, idle) = (self.now(), self.sessions.lifetimes.browserSessionIdle)
    let fingerprint = session.record.fingerprint
    return try await self.store.write { (tx) throws(StoreError) in
      guard let (live, account) = try tx.browserSessionAndAccount(fingerprint), live.isValid(at: now, idle: idle),
        account.disabledAt == nil
      else { return .signedOut }
      return try body(&tx, account, now)
    }
  }
}
