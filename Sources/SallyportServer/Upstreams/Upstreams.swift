package import SallyportProtocol

/// Adds, changes, and removes upstreams, the OpenID providers through which users sign in. For operators.
package struct Upstreams: Sendable {
  let store: any Store
  let now: TimeSource

  package init(store: any Store, now: @escaping TimeSource = Timestamp.now) {
    self.store = store
    self.now = now
  }

  package func list() async throws(StoreError) -> [UpstreamRecord] {
    try await self.store.read { (tx) throws(StoreError) in try tx.upstreams() }
  }

  package func upstream(_ id: String) async throws(StoreError) -> UpstreamRecord? {
    try await self.store.read { (tx) throws(StoreError) in try tx.upstream(id) }
  }

  /// - Throws: ``StoreError/conflict`` if an upstream with this identifier exists.
  package func add(_ upstream: UpstreamRecord, from origin: AuditOrigin = .command) async throws(StoreError) {
    let now = self.now()
    try await self.store.write { (tx) throws(StoreError) in
      try tx.insert(AuditRecord(.upstreamAdded, subject: upstream.id, from: origin, at: now))
      try tx.insert(upstream)
    }
  }

  /// Replaces an upstream, except for its identifier and creation time.
  /// - Returns: Whether the upstream exists.
  package func update(_ upstream: UpstreamRecord, from origin: AuditOrigin = .command) async throws(StoreError) -> Bool {
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      guard try tx.update(upstream) else { return false }
      try tx.insert(AuditRecord(.upstreamChanged, subject: upstream.id, from: origin, at: now))
      return true
    }
  }

  /// Removes an upstream. Users can no longer sign in through it, but the identities that they have connected remain.
  /// - Returns: Whether the upstream existed.
  package func remove(_ id: String, from origin: AuditOrigin = .command) async throws(StoreError) -> Bool {
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      guard try tx.upstream(id) != nil else { return false }
      // A removal requires `recorded`, the proof that this transaction contains an audit record.
      let recorded = try tx.record(AuditRecord(.upstreamRemoved, subject: id, from: origin, at: now))
      return try tx.removeUpstream(id, recorded)
    }
  }
}
