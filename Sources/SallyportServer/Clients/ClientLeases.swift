import SallyportProtocol

// Each client that no operator registered has a lease. When the lease has expired, the server removes the client,
// unless the client has grants.

extension StoreSnapshot {
  /// Whether a client that no operator registered has ever obtained a grant. Only a grant sets the lease's `lastUsedAt`
  /// to a time after the client's creation.
  func hasObtainedGrant(_ client: ClientRecord) throws(StoreError) -> Bool {
    try self.clientLease(client.id).map { $0.lastUsedAt > client.createdAt } ?? false
  }
}

extension ClientLeaseRecord {
  /// Returns the lease of a client that obtains a grant now; nil for operators' clients, which have no lease.
  static func renewed(for client: ClientRecord, _ policy: RegistrationPolicy, at now: Timestamp) -> ClientLeaseRecord? {
    guard client.origin != .operator else { return nil }
    return ClientLeaseRecord(client: client.id, lastUsedAt: now, expiresAt: now + policy.unusedLifetime)
  }
}
