import SallyportProtocol

/// The end of a person's sign-in, with all that hangs on it, in the caller's transaction: nothing of it can be lost.
enum SessionEnd {
  /// A client that does not answer for so long is not told any more.
  static var deliveryLifetime: Duration { .seconds(86_400) }

  /// Why a session ends: the person's own wish or an app's, or another person who signs in in the same browser.
  struct Cause: Sendable {
    let reason: AuditReason
    var client: ClientID?
    let origin: AuditOrigin
  }

  /// Ends one session: its clients are to be told, and what they may do for no longer than the session ends with it
  /// (OpenID Connect Back-Channel Logout §2.7; what was granted `offline_access` stays).
  static func end(
    _ session: BrowserSessionRecord, _ cause: Cause, at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) {
    guard try tx.endBrowserSession(session.fingerprint, at: now) else { return }
    // One record for all of it: grants bear the session's name.
    try tx.insert(
      AuditRecord(
        .signedOut, cause.reason, account: session.account, client: cause.client, session: session.id, from: cause.origin,
        at: now))
    try self.tell(try tx.sessionClients(ofSession: session.id), at: now, in: &tx)
    for grant in try tx.grants(ofSession: session.id) where !grant.scope.contains(.offlineAccess) {
      try tx.revokeGrant(grant.id, reason: .signedOut, at: now)
    }
  }

  /// Ends every session of an account with every grant, for which the reason's event stands.
  static func endAll(
    of account: AccountID, reason: RevocationReason, from origin: AuditOrigin, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    try tx.insert(AuditRecord(reason.event, account: account, from: origin, at: now))
    try tx.endBrowserSessions(of: account, at: now)
    try self.tell(try tx.sessionClients(of: account), at: now, in: &tx)
    try tx.revokeGrants(of: account, reason: reason, at: now)
  }

  private static func tell(
    _ clients: [SessionClientRecord], at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) {
    for client in clients where now < client.expiresAt {
      try tx.insert(
        LogoutDeliveryRecord(
          id: OrderedID.random(at: now), client: client.client, account: client.account, sessionID: client.sessionID, dueAt: now,
          expiresAt: now + self.deliveryLifetime))
    }
    for session in Set(clients.map(\.sessionID)) { try tx.removeSessionClients(ofSession: session) }
  }
}
