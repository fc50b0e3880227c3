package import SallyportProtocol

// Each method makes a change and adds its audit record in the caller's transaction, so neither is stored without the
// other.

extension StoreTransaction {
  /// Revokes a grant. Does nothing if the grant does not exist or is already revoked.
  package mutating func end(
    _ grant: GrantRecord, for reason: RevocationReason, from origin: AuditOrigin, at now: Timestamp
  ) throws(StoreError) {
    guard let current = try self.grant(grant.id), current.revokedAt == nil else { return }
    let recorded = try self.record(
      AuditRecord(reason.event, account: grant.account, client: grant.client, grant: grant.id, from: origin, at: now))
    try self.revokeGrant(grant.id, reason: reason, at: now, recorded)
  }

  /// Stores a new grant.
  package mutating func issue(
    _ grant: GrantRecord, _ reason: AuditReason, from origin: AuditOrigin, at now: Timestamp
  ) throws(StoreError) {
    try self.insert(grant)
    try self.insert(
      AuditRecord(
        .grantIssued, reason, account: grant.account, client: grant.client, grant: grant.id, session: grant.sessionID,
        from: origin, at: now))
  }

  /// Adds a client.
  package mutating func add(
    _ client: ClientRecord, _ reason: AuditReason? = nil, subject: String? = nil, from origin: AuditOrigin, at now: Timestamp
  ) throws(StoreError) {
    try self.insert(client)
    try self.insert(AuditRecord(.clientAdded, reason, client: client.id, subject: subject, from: origin, at: now))
  }

  /// Replaces a client's registration.
  /// - Returns: Whether the client exists.
  package mutating func change(
    _ client: ClientRecord, _ reason: AuditReason? = nil, from origin: AuditOrigin, at now: Timestamp
  ) throws(StoreError) -> Bool {
    guard try self.update(client) else { return false }
    try self.insert(AuditRecord(.clientChanged, reason, client: client.id, from: origin, at: now))
    return true
  }

  /// Removes a client and its grants.
  /// - Returns: Whether the client existed.
  package mutating func remove(
    _ client: ClientID, _ reason: AuditReason? = nil, from origin: AuditOrigin, at now: Timestamp
  ) throws(StoreError) -> Bool {
    guard try self.client(client) != nil else { return false }
    let recorded = try self.record(AuditRecord(.clientRemoved, reason, client: client, from: origin, at: now))
    return try self.removeClient(client, recorded)
  }
}
