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

  /// Replaces an upstream, except for its identifier and creation time. The subject of the audit record is the
  /// identifier, followed by the names of the changed settings, with spaces in between. If nothing changes, nothing is
  /// recorded.
  /// - Returns: Whether the upstream exists.
  package func update(_ upstream: UpstreamRecord, from origin: AuditOrigin = .command) async throws(StoreError) -> Bool {
    let now = self.now()
    return try await self.store.write { (tx) throws(StoreError) in
      guard let stored = try tx.upstream(upstream.id) else { return false }
      guard upstream != stored else { return true }
      let subject = ([upstream.id] + upstream.changes(from: stored)).joined(separator: " ")
      try tx.insert(AuditRecord(.upstreamChanged, subject: subject, from: origin, at: now))
      return try tx.update(upstream)
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

extension UpstreamRecord {
  /// The names of the settings that differ from another version of the record. Most are the names that
  /// `sallyportd upstream show --json` prints.
  fileprivate func changes(from other: UpstreamRecord) -> [String] {
    let members: [(name: String, isChanged: Bool)] = [
      ("name", self.name != other.name), ("issuer", self.issuer != other.issuer),
      ("client_id", self.clientID != other.clientID), ("client_secret", self.sealedSecret != other.sealedSecret),
      ("token_endpoint_auth_method", self.details.authenticationMethod != other.details.authenticationMethod),
      ("scope", self.details.scopes != other.details.scopes), ("accounts", self.details.accounts != other.details.accounts),
      ("username_claim", self.details.usernameClaim != other.details.usernameClaim),
      ("name_claim", self.details.nameClaim != other.details.nameClaim),
      ("trusted_domains", self.details.trustedDomains != other.details.trustedDomains),
      ("two_factor_acr", self.details.twoFactorContexts != other.details.twoFactorContexts),
      ("tenant_issuer", self.details.tenantIssuer != other.details.tenantIssuer),
      ("allowed_tenants", self.details.allowedTenants != other.details.allowedTenants),
      ("disabled", self.disabledAt != other.disabledAt),
    ]
    return members.filter(\.isChanged).map(\.name)
  }
}
