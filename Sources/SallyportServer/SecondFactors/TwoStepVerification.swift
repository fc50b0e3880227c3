package import SallyportProtocol

/// Adds and removes the authenticator app and the recovery codes of a signed-in user. Each change requires what
/// ``SensitiveChangePolicy`` describes.
package struct TwoStepVerification: Sendable {
  let store: any Store
  let secrets: TOTPSecrets
  let codes: RecoveryCodes
  let changePolicy: SensitiveChangePolicy
  /// The name of the server, which authenticator apps show.
  let serverName: String
  /// Makes the server send logout tokens for sessions that ended.
  let logoutSignal: WakeSignal
  let now: TimeSource

  package enum Addition: Sendable {
    /// - Parameter recoveryCodes: New recovery codes for the account; nil if it still has unused ones.
    case added(recoveryCodes: [RecoveryCode]?)
    /// The code is not a current code of the app.
    case wrongCode
    /// The time to set up the app is over, or the form belongs to another session.
    case expired
    /// Nothing was added, and the outcome says why. ``ChangeOutcome/nothingToDo`` means that the account already has an
    /// authenticator app.
    case failed(ChangeOutcome)
  }

  /// Returns what a page needs to set up an authenticator app; nil if the secret cannot be sealed.
  package func enrollment(for session: BrowserSessions.Active) -> TOTPEnrollment? {
    self.enrollment(Secret(RandomText.bytes(count: TOTP.secretSize)), for: session)
  }

  /// Returns the same enrollment again, for a user who entered a wrong code.
  /// - Returns: Nil if the time to set up the app is over, or the form belongs to another session.
  package func enrollment(reopening sealed: Secret<String>, for session: BrowserSessions.Active) -> TOTPEnrollment? {
    guard let secret = self.secrets.openEnrollment(sealed, session: session.record.fingerprint) else { return nil }
    return TOTPEnrollment(secret, sealed: sealed, server: self.serverName, username: session.account.username.value)
  }

  private func enrollment(_ secret: Secret<[UInt8]>, for session: BrowserSessions.Active) -> TOTPEnrollment? {
    self.secrets.sealEnrollment(secret, session: session.record.fingerprint).map { sealed in
      TOTPEnrollment(secret, sealed: sealed, server: self.serverName, username: session.account.username.value)
    }
  }

  /// Adds the authenticator app, if the user has entered one of its codes.
  ///
  /// Afterward, each sign-in with the password or through an upstream requires a code. The user's other sessions that
  /// began without a second factor end, because someone who knows only the password may have started them.
  /// - Parameter sealed: The sealed secret of ``TOTPEnrollment``.
  /// - Throws: ``StoreError``, or ``SealError`` if the secret cannot be encrypted.
  package func add(
    code: String, enrollment sealed: Secret<String>, session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws -> Addition {
    let (now, account, fingerprint) = (self.now(), session.account.id, session.record.fingerprint)
    guard let secret = self.secrets.openEnrollment(sealed, session: fingerprint) else { return .expired }
    // No code of this app was used before, so -1 excludes no time step.
    guard let digits = TOTP.digits(in: code), let step = TOTP.step(of: digits, secret, after: -1, at: now) else {
      return .wrongCode
    }
    let record = TOTPRecord(
      account: account, sealedSecret: try self.secrets.seal(secret, of: account), lastStep: step, createdAt: now)
    let (codes, newCodes) = (self.codes, RecoveryCodes.random())
    let (outcome, hasNewCodes) = try await self.store.write { [changePolicy] (tx) throws(StoreError) -> (ChangeOutcome, Bool) in
      switch try changePolicy.permission(tx, session: fingerprint, at: now) {
      case .signInNeeded: return (.signInNeeded, false)
      case .signedOut: return (.signedOut, false)
      case .granted(let live, _):
        guard try tx.totp(of: account) == nil else { return (.nothingToDo, false) }
        try tx.insert(record)
        try tx.insert(AuditRecord(.totpAdded, account: account, session: live.id, from: origin, at: now))
        try Self.endWeakSessions(of: account, except: live.id, from: origin, at: now, in: &tx)
        return (.done, try codes.addFirst(newCodes, to: account, session: live.id, from: origin, at: now, in: &tx))
      }
    }
    guard outcome == .done else { return .failed(outcome) }
    self.logoutSignal.send()
    return .added(recoveryCodes: hasNewCodes ? newCodes : nil)
  }

  /// Ends the sessions of an account that began without a second factor.
  /// - Parameter current: The identifier of the session that continues.
  private static func endWeakSessions(
    of account: AccountID, except current: String, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    for session in try tx.browserSessions(of: account)
    where session.id != current && AuthenticationContext.Level(of: session.authenticationMethods) < .twoFactors {
      try SessionEnd.end(session, SessionEnd.Cause(reason: .twoStepVerification, origin: origin), at: now, in: &tx)
    }
  }

  /// Removes the authenticator app, and the recovery codes too if the account has no passkey that can be used.
  package func remove(
    session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> ChangeOutcome {
    let now = self.now()
    return try await self.store.change(session, by: self.changePolicy, at: now) {
      [changePolicy] (tx, live, account) throws(StoreError) in
      guard try tx.totp(of: account.id) != nil else { return .nothingToDo }
      let recorded = try tx.record(AuditRecord(.totpRemoved, account: account.id, session: live.id, from: origin, at: now))
      guard try tx.removeTOTP(of: account.id, recorded) else { return .nothingToDo }
      try RecoveryCodes.removeWithoutFactor(of: account.id, changePolicy, session: live.id, from: origin, at: now, in: &tx)
      return .done
    }
  }

  /// Creates new recovery codes, which replace all earlier ones. If the account has no factor besides its password,
  /// nothing is changed.
  /// - Parameter identifier: Identifies the codes that the user wants to replace
  ///   (``RecoveryCodeRecord/identifier(ofSet:)``). If the account has other codes by now, nothing is changed. Nil
  ///   replaces any codes.
  /// - Returns: The codes; nil if they were not created.
  package func createRecoveryCodes(
    replacing identifier: String? = nil, session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> (codes: [RecoveryCode]?, outcome: ChangeOutcome) {
    let (now, codes, changePolicy, new) = (self.now(), self.codes, self.changePolicy, RecoveryCodes.random())
    let outcome = try await self.store.change(session, by: changePolicy, at: now) { (tx, live, account) throws(StoreError) in
      guard try changePolicy.factors(tx, of: account.id).hasAny else { return .nothingToDo }
      let current = RecoveryCodeRecord.identifier(ofSet: try tx.recoveryCodes(of: account.id))
      guard identifier == nil || identifier == current else { return .nothingToDo }
      try codes.replace(of: account.id, with: new, session: live.id, from: origin, at: now, in: &tx)
      return .done
    }
    return (outcome == .done ? new : nil, outcome)
  }
}
