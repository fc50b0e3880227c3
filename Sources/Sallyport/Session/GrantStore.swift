package import SallyportProtocol

/// The one grant of an issuer, a client and an account in a ``TokenStore``.
package struct GrantStore: Sendable {
  private let store: any TokenStore
  private let session: StoredSession

  package init(store: any TokenStore, issuer: Issuer, clientID: String, account: String? = nil) {
    self.store = store
    self.session = StoredSession(issuer: issuer, clientID: clientID, account: account)
  }

  package func load() async throws(TokenStoreError) -> Grant? {
    guard let stored = try await self.store.load(self.session.key) else { return nil }
    return try GrantRecord.decode(stored).grant(issuer: self.session.issuer, clientID: self.session.clientID)
  }

  package func save(_ grant: Grant) async throws(TokenStoreError) {
    try await self.store.save(GrantRecord(grant).encoded(), for: self.session.key)
  }

  package func remove() async throws(TokenStoreError) {
    try await self.store.remove(self.session.key)
    // What stays in the list without a grant is passed over.
    try? await SessionIndex(store: self.store).crossOut(self.session)
  }

  /// Stores the grant of a new sign-in and lists its session. The caller holds no lease.
  /// - Returns: the grant whose place it takes, if there was one that can be read.
  package func replace(with grant: Grant) async throws -> Grant? {
    let index = SessionIndex(store: self.store)
    try await index.enter(self.session)
    let replaced = try await self.withLease {
      let replaced = try? await self.load()
      try await self.save(grant)
      return replaced
    }
    // A sign-out that went on at the same time may have crossed it out again.
    try await index.enter(self.session)
    return replaced
  }

  /// Runs `body` while no other thread or process changes the grant.
  package func withLease<R: Sendable>(_ body: @Sendable () async throws -> R) async throws -> R {
    try await self.store.withLease(on: self.session.key, body)
  }
}
