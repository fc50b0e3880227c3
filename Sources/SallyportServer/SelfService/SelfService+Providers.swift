import SallyportProtocol

extension SelfService {
  package enum Disconnection: Sendable, Equatable {
    /// The identity was disconnected, or the outcome says why not.
    case change(ChangeOutcome)
    /// The account has no password, no passkey, and no other identity with which the user could sign in again.
    case lastWayToSignIn
  }

  /// Disconnects an identity at an upstream from the account of the session.
  /// - Parameters:
  ///   - issuer: The issuer of the identity.
  ///   - subject: The subject of the identity.
  package func disconnect(
    issuer: String, subject: String, in session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> Disconnection {
    let (now, changePolicy, fingerprint) = (self.sessions.now(), self.changePolicy, session.record.fingerprint)
    return try await self.store.write { (tx) throws(StoreError) -> Disconnection in
      let (live, account): (BrowserSessionRecord, AccountRecord)
      switch try changePolicy.permission(tx, session: fingerprint, at: now) {
      case .granted(let session, let owner): (live, account) = (session, owner)
      case .signInNeeded: return .change(.signInNeeded)
      case .signedOut: return .change(.signedOut)
      }
      let identities = try tx.federatedIdentities(of: account.id)
      let upstreams = try tx.upstreams()
      guard identities.contains(where: { $0.issuer == issuer && $0.subject == subject }) else { return .change(.nothingToDo) }
      let activeIssuers = Set(upstreams.filter { $0.disabledAt == nil }.map(\.issuer))
      let others = identities.filter { ($0.issuer != issuer || $0.subject != subject) && activeIssuers.contains($0.issuer) }
      let passkeys = try changePolicy.factors(tx, of: account.id).passkeys
      guard account.hasPassword || !others.isEmpty || passkeys > 0 else { return .lastWayToSignIn }
      let recorded = try tx.record(
        AuditRecord(
          .identityDisconnected, .user, account: account.id, session: live.id,
          subject: upstreams.first { $0.issuer == issuer }?.id ?? issuer, from: origin, at: now))
      let isRemoved = try tx.removeFederatedIdentity(issuer: issuer, subject: subject, of: account.id, recorded)
      return .change(isRemoved ? .done : .nothingToDo)
    }
  }
}
