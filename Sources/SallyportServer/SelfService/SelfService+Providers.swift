import SallyportProtocol

extension SelfService {
  /// Disconnects an identity at an upstream from the account of the session, unless it is the last way to sign in.
  /// - Parameters:
  ///   - issuer: The issuer of the identity.
  ///   - subject: The subject of the identity.
  package func disconnect(
    issuer: String, subject: String, in session: BrowserSessions.Active, from origin: AuditOrigin
  ) async throws(StoreError) -> Outcome {
    let now = self.sessions.now()
    return try await self.store.change(session, by: self.changePolicy, at: now) {
      [changePolicy] (tx, live, account) throws(StoreError) in
      guard try tx.federatedIdentity(issuer: issuer, subject: subject)?.account == account.id else { return .nothingToDo }
      guard try changePolicy.permitsSignIn(tx, to: account, withoutIdentity: (issuer, subject)) else { return .notAllowed }
      let recorded = try tx.record(
        AuditRecord(
          .identityDisconnected, .user, account: account.id, session: live.id,
          subject: try tx.upstreams().first { $0.issuer == issuer }?.id ?? issuer, from: origin, at: now))
      let isRemoved = try tx.removeFederatedIdentity(issuer: issuer, subject: subject, of: account.id, recorded)
      return isRemoved ? .done : .nothingToDo
    }
  }
}
