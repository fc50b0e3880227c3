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
  ///
  /// Devices stay signed in when their user signs out of the browser. So does a device whose approval has not been redeemed yet: only
  /// ``endAll(of:reason:_:at:in:)`` ends approvals.
  static func end(
    _ session: BrowserSessionRecord, _ cause: Cause, at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) {
    guard let current = try tx.browserSession(session.fingerprint), current.endedAt == nil else { return }
    // One record for all of it: grants bear the session's name.
    let recorded = try tx.record(
      AuditRecord(
        .signedOut, cause.reason, account: session.account, client: cause.client, session: session.id, from: cause.origin,
        at: now))
    _ = try tx.endBrowserSession(session.fingerprint, at: now, recorded)
    try self.tell(try tx.sessionClients(ofSession: session.id), at: now, in: &tx)
    for grant in try tx.grants(of: session.account, inSession: session.id) where !grant.scope.contains(.offlineAccess) {
      try tx.revokeGrant(grant.id, reason: .signedOut, at: now, recorded)
    }
  }

  /// Ends everything that an account's sign-ins led to: sessions, grants with their tokens and unredeemed codes, and device approvals
  /// that have not been redeemed (RFC 9700 §4.14.2).
  ///
  /// Interactions need no entry here, because they continue only with a live session. Pushed requests belong to the client and stay.
  static func endAll(
    of account: AccountID, reason: RevocationReason, _ recorded: borrowing Recorded, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    try tx.endBrowserSessions(of: account, at: now, recorded)
    try self.tell(try tx.sessionClients(of: account), at: now, in: &tx)
    try tx.revokeGrants(of: account, reason: reason, at: now, recorded)
    try tx.removeDeviceApprovals(of: account, recorded)
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
