public import SallyportProtocol

/// Creates, lists, and rotates signing keys, for `sallyportd key` and when a server starts.
public struct KeyManagement: Sendable {
  let store: any Store
  let sealer: KeySealer
  let lifetimes: Lifetimes
  let now: TimeSource

  public init(
    store: any Store, masterKey: MasterKey, lifetimes: Lifetimes = Lifetimes(), now: @escaping TimeSource = Timestamp.now
  ) {
    self.store = store
    self.sealer = KeySealer(masterKey)
    self.lifetimes = lifetimes
    self.now = now
  }

  /// Returns the published keys, oldest first, including keys that do not sign yet or no longer sign.
  public func list() async throws -> [SigningKeyRecord] {
    let now = self.now()
    return try await self.store.read { (tx) throws(StoreError) in try tx.signingKeys() }
      .filter { $0.isPublished(at: now, self.lifetimes) }
  }

  /// Creates a key for each algorithm that has no key, or only retired ones. If several processes start at the same
  /// time, only one of them adds the key.
  public func ensureKeys() async throws {
    let existing = Set(try await self.list().filter { $0.retiredAt == nil }.map(\.algorithm))
    for algorithm in SigningKey.Algorithm.allCases where !existing.contains(algorithm.rawValue) {
      let now = self.now()
      let record = try self.sealer.record(of: try SigningKey.generate(algorithm), createdAt: now, activeAt: now)
      try await self.store.write { (tx) throws(StoreError) in
        let keys = try tx.signingKeys()
        guard !keys.contains(where: { $0.algorithm == record.algorithm && $0.retiredAt == nil }) else { return }
        try tx.insert(record)
        try tx.insert(AuditRecord(.keyAdded, subject: record.id, from: .server, at: now))
      }
    }
  }

  /// Rotates the signing keys of all algorithms.
  ///
  /// The new keys are published now and sign after ``Lifetimes/keyPublicationLead``. The old keys then stop signing,
  /// but stay published until the tokens that they signed have expired. The store keeps the old keys for the
  /// maximum lifetime of a browser session, so that an app can sign a user out with an earlier ID token (RP-Initiated
  /// Logout §2).
  /// - Parameter immediately: Whether to rotate at once, after a leak. The new keys sign immediately, and this server
  ///   rejects tokens that were signed with the old keys. Resource servers may reject new tokens until they fetch the
  ///   JWK Set again.
  /// - Returns: The new keys.
  public func rotate(
    immediately: Bool = false, from origin: AuditOrigin = .command
  ) async throws -> [SigningKeyRecord] {
    let now = self.now()
    let reason = immediately ? AuditReason.immediately : .rotation
    let activeAt = immediately ? now : now + self.lifetimes.keyPublicationLead
    let removedAt = activeAt + max(self.lifetimes.keyPublicationTail, self.lifetimes.browserSession)
    // If no key of an algorithm can sign during the publication lead, the new one signs immediately.
    let existing = Set(try await self.list().filter { $0.retiredAt == nil }.map(\.algorithm))
    let records = try SigningKey.Algorithm.allCases.map { algorithm in
      try self.sealer.record(
        of: try SigningKey.generate(algorithm), createdAt: now,
        activeAt: existing.contains(algorithm.rawValue) ? activeAt : now)
    }
    try await self.store.write { (tx) throws(StoreError) in
      // After a leak, keys that have already been retired are no longer trusted either.
      for oldKey in try tx.signingKeys() where immediately || oldKey.retiredAt == nil {
        let recorded = try tx.record(AuditRecord(.keyRetired, reason, subject: oldKey.id, from: origin, at: now))
        // A withdrawn key is removed at the time at which it was retired (`SigningKeyRecord.isWithdrawn`).
        let removal = immediately ? min(now, oldKey.retiredAt ?? now) : removedAt
        _ = try tx.retireSigningKey(oldKey.id, at: activeAt, removedAt: removal, recorded)
      }
      for record in records {
        try tx.insert(record)
        try tx.insert(AuditRecord(.keyAdded, reason, subject: record.id, from: origin, at: now))
      }
    }
    return records
  }
}
