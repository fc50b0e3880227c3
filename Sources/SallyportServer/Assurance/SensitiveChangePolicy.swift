import SallyportProtocol

/// The rule for sensitive changes to an account, such as a new password or a new factor.
///
/// The user must have been authenticated recently. If the account has a factor besides its password, the user must have
/// been authenticated with a passkey or two factors, so someone who knows only the password cannot add, remove, or
/// replace factors. The rule is checked in the transaction of each change.
package struct SensitiveChangePolicy: Sendable {
  /// The current RP ID; nil if passkeys cannot be used.
  let relyingPartyID: String?
  /// How long a browser session is valid if it is not used.
  let idle: Duration

  enum Permission: Sendable {
    case granted(BrowserSessionRecord, AccountRecord)
    case signInNeeded
    /// The session has ended, or the account is disabled.
    case signedOut
  }

  /// Returns whether the user of a session may make sensitive changes.
  /// - Parameter session: The fingerprint of the user's session.
  func permission(
    _ tx: borrowing any StoreSnapshot, session: Fingerprint, at now: Timestamp
  ) throws(StoreError) -> Permission {
    guard let (live, account) = try tx.browserSessionAndAccount(session), live.isValid(at: now, idle: self.idle),
      account.disabledAt == nil
    else { return .signedOut }
    let isRecent = live.isRecentlyAuthenticated(at: now)
    let factors = try self.factors(tx, of: account.id)
    return isRecent && factors.permitChanges(with: live.authenticationMethods) ? .granted(live, account) : .signInNeeded
  }

  func factors(_ tx: borrowing any StoreSnapshot, of account: AccountID) throws(StoreError) -> AccountFactors {
    try AccountFactors(tx, of: account, relyingPartyID: self.relyingPartyID)
  }

  /// Whether the user could still sign in to the account if this passkey or this identity were removed: with a
  /// password, with another passkey, or through an enabled upstream.
  func permitsSignIn(
    _ tx: borrowing any StoreSnapshot, to account: AccountRecord, withoutPasskey passkey: [UInt8]? = nil,
    withoutIdentity identity: (issuer: String, subject: String)? = nil
  ) throws(StoreError) -> Bool {
    if account.hasPassword { return true }
    let passkeys = try tx.passkeys(of: account.id)
    if passkeys.contains(where: { $0.id != passkey && $0.relyingPartyID == self.relyingPartyID }) { return true }
    let issuers = Set(try tx.upstreams().filter { $0.disabledAt == nil }.map(\.issuer))
    return try tx.federatedIdentities(of: account.id).contains {
      ($0.issuer != identity?.issuer || $0.subject != identity?.subject) && issuers.contains($0.issuer)
    }
  }
}

/// The result of a change that a signed-in user makes.
package enum ChangeOutcome: Sendable, Equatable {
  case done
  /// There is nothing to change, for example because the user made the same change in another window.
  case nothingToDo
  /// The operator does not allow the change, or the user could not sign in to the account after the change.
  case notAllowed
  /// The user must sign in again, with a passkey or two factors if the account has them.
  case signInNeeded
  /// The session has ended, or the account is disabled.
  case signedOut
}

extension Store {
  /// Runs `body` in a transaction, if the session's user may make sensitive changes.
  func change(
    _ session: BrowserSessions.Active, by changePolicy: SensitiveChangePolicy, at now: Timestamp,
    _ body:
      @escaping @Sendable (
        _ tx: inout any StoreTransaction, _ session: BrowserSessionRecord, _ account: AccountRecord
      ) throws(StoreError) -> ChangeOutcome
  ) async throws(StoreError) -> ChangeOutcome {
    let fingerprint = session.record.fingerprint
    return try await self.write { (tx) throws(StoreError) in
      switch try changePolicy.permission(tx, session: fingerprint, at: now) {
      case .granted(let live, let account): try body(&tx, live, account)
      case .signInNeeded: .signInNeeded
      case .signedOut: .signedOut
      }
    }
  }
}
