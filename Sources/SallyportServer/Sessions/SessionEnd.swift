import SallyportProtocol

/// Ends sessions together with the grants that depend on them, in the caller's transaction.
enum SessionEnd {
  /// The time after which a logout delivery is dropped even if attempts are left, for example because the server was
  /// not running.
  static var deliveryLifetime: Duration { .seconds(86_400) }

  /// Why a session ends, and which client requested it.
  struct Cause: Sendable {
    /// Nil if an operator ended the session.
    let reason: AuditReason?
    /// The client that asked for the sign-out; nil if no client did.
    var client: ClientID?
    let origin: AuditOrigin
  }

  /// Ends one session: queues logout deliveries to its clients, and revokes the grants that end with it. Grants with
  /// `offline_access` remain (OpenID Connect Back-Channel Logout §2.7). Does nothing if the session has already ended.
  ///
  /// Devices stay signed in when their user signs out of the browser. This includes a device whose approval has not
  /// been redeemed yet: unlike ``endAll(of:reason:_:at:in:)``, this function removes no approvals.
  static func end(
    _ session: BrowserSessionRecord, _ cause: Cause, at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) {
    guard let current = try tx.browserSession(session.fingerprint), current.endedAt == nil else { return }
    // One record covers the grants too, because the record of a grant's issue contains the session ID.
    let recorded = try tx.record(
      AuditRecord(
        .signedOut, cause.reason, account: session.account, client: cause.client, session: session.id, from: cause.origin,
        at: now))
    _ = try tx.endBrowserSession(session.fingerprint, at: now, recorded)
    try self.queueDeliveries(try tx.sessionClients(ofSession: session.id), at: now, in: &tx)
    for grant in try tx.grants(of: session.account, inSession: session.id) where !grant.scope.contains(.offlineAccess) {
      try tx.revokeGrant(grant.id, reason: .signedOut, at: now, recorded)
    }
  }

  /// Ends all sessions of an account, and revokes its grants, including unredeemed codes and device approvals (RFC 9700
  /// §4.14.2). Removes the account's one-time links.
  ///
  /// Interactions (authorization requests on their way through sign-in and consent) need no change, because they lead
  /// to a code only with a session that has not ended. Pushed requests belong to the client and remain.
  static func endAll(
    of account: AccountID, reason: RevocationReason, _ recorded: borrowing Recorded, at now: Timestamp,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    try tx.endBrowserSessions(of: account, at: now, recorded)
    try self.queueDeliveries(try tx.sessionClients(of: account), at: now, in: &tx)
    try tx.revokeGrants(of: account, reason: reason, at: now, recorded)
    try tx.removeDeviceApprovals(of: account, recorded)
    try tx.removeAccountLinks(of: account, for: nil, onlyUnusedMail: false)
  }

  private static func queueDeliveries(
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
