package import SallyportProtocol

/// The one grant of an issuer and a client in a ``TokenStore``.
package struct GrantStore: Sendable {
  private let store: any TokenStore
  private let issuer: Issuer
  private let clientID: String
  private let key: TokenStoreKey

  package init(store: any TokenStore, issuer: Issuer, clientID: String) {
    self.store = store
    self.issuer = issuer
    self.clientID = clientID
    self.key = Self.key(issuer: issuer.value, clientID: clientID)
  }

  /// Where the grant of an issuer and a client rests.
  static func key(issuer: String, clientID: String) -> TokenStoreKey {
    TokenStoreKey(kind: "grant", issuer: issuer, clientID: clientID)
  }

  package func load() async throws(TokenStoreError) -> Grant? {
    guard let stored = try await self.store.load(self.key) else { return nil }
    return try GrantRecord.decode(stored).grant(issuer: self.issuer, clientID: self.clientID)
  }

  package func save(_ grant: Grant) async throws(TokenStoreError) {
    try await self.store.save(GrantRecord(grant).encoded(), for: self.key)
  }

  package func remove() async throws(TokenStoreError) {
    try await self.store.remove(self.key)
  }

  /// Runs `body` while no other thread or process changes the grant.
  package func withLease<R: Sendable>(_ body: @Sendable () async throws -> R) async throws -> R {
    try await self.store.withLease(on: self.key, body)
  }
}
