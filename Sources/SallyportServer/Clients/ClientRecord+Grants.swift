import SallyportProtocol

extension StoreSnapshot {
  /// Whether a client that no operator registered has ever obtained a grant: only a grant renews its lease.
  func hasObtainedGrant(_ client: ClientRecord) throws(StoreError) -> Bool {
    try self.clientLease(client.id).map { $0.lastUsedAt > client.createdAt } ?? false
  }
}

extension ClientLeaseRecord {
  /// The lease of a client that obtains a grant now: it stays as long as it is used. Nil for the clients of operators, which always stay.
  static func renewed(for client: ClientRecord, _ policy: RegistrationPolicy, at now: Timestamp) -> ClientLeaseRecord? {
    guard client.origin != .operator else { return nil }
    return ClientLeaseRecord(client: client.id, lastUsedAt: now, expiresAt: now + policy.unusedLifetime)
  }
}
