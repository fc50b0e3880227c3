public import SallyportProtocol

/// Makes, lists and rotates signing keys; what `sallyportd key` and the start of a server use.
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

  /// All keys that are still published or about to be, oldest first.
  public func list() async throws -> [SigningKeyRecord] {
    let now = self.now()
    return try await self.store.read { (tx) throws(StoreError) in try tx.signingKeys() }
      .filter { $0.isPublished(at: now, self.lifetimes) }
  }

  /// Makes a key for each algorithm that has none, of the server's own accord. Two processes that start at once agree on one.
  public func ensureKeys() async throws {
    let have = Set(try await self.list().filter { $0.retiredAt == nil }.map(\.algorithm))
    for algorithm in SigningKey.Algorithm.allCases where !have.contains(algorithm.rawValue) {
      let now = self.now()
      let record = try self.sealer.record(of: try SigningKey.generate(algorithm), created: now, active: now)
      try await self.store.write { (tx) throws(StoreError) in
        let keys = try tx.signingKeys()
        guard !keys.contains(where: { $0.algorithm == record.algorithm && $0.retiredAt == nil }) else { return }
        try tx.insert(record)
        try tx.insert(AuditRecord(.keyAdded, subject: record.id, from: .server, at: now))
      }
    }
  }

  /// Publishes a new key of each algorithm, which takes over after the publication lead; the old keys stop signing then and
  /// stay published as long as a token of theirs can live. Unpublished, they are kept as long as a browser's session can live, so
  /// that an app signs a person out with the ID token that it was given (RP-Initiated Logout §2).
  /// - Parameter immediately: after a leak. The new keys sign at once, and the old ones are trusted no longer: tokens that they
  ///   signed end. Others may refuse the new ones until their caches are renewed.
  /// - Returns: the new keys.
  public func rotate(
    immediately: Bool = false, from origin: AuditOrigin = .command
  ) async throws -> [SigningKeyRecord] {
    let now = self.now()
    let reason = immediately ? AuditReason.immediately : .rotation
    let active = immediately ? now : now + self.lifetimes.keyPublicationLead
    let removed = immediately ? now : active + max(self.lifetimes.keyPublicationTail, self.lifetimes.browserSession)
    // Before the first start there is no key that could sign until then.
    let have = Set(try await self.list().map(\.algorithm))
    let records = try SigningKey.Algorithm.allCases.map { algorithm in
      try self.sealer.record(
        of: try SigningKey.generate(algorithm), created: now, active: have.contains(algorithm.rawValue) ? active : now)
    }
    try await self.store.write { (tx) throws(StoreError) in
      // After a leak a key that is on its way out is trusted no longer either.
      for old in try tx.signingKeys() where immediately || old.retiredAt == nil {
        guard try tx.retireSigningKey(old.id, at: active, removedAt: removed) else { continue }
        try tx.insert(AuditRecord(.keyRetired, reason, subject: old.id, from: origin, at: now))
      }
      for record in records {
        try tx.insert(record)
        try tx.insert(AuditRecord(.keyAdded, reason, subject: record.id, from: origin, at: now))
      }
    }
    return records
  }
}
