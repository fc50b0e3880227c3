package import SallyportProtocol

/// Stores the tokens of one account of a client at an issuer.
package struct TokenSetStore: Sendable {
  let store: any TokenStore
  let session: StoredSession

  package init(store: any TokenStore, issuer: Issuer, clientID: String, account: String? = nil) {
    self.store = store
    self.session = StoredSession(issuer: issuer, clientID: clientID, account: account)
  }

  package func load() async throws(TokenStoreError) -> TokenSet? {
    guard let stored = try await self.store.load(self.session.key) else { return nil }
    return try TokenSetRecord.decode(stored).tokenSet(issuer: self.session.issuer, clientID: self.session.clientID)
  }

  package func save(_ tokenSet: TokenSet) async throws(TokenStoreError) {
    try await self.store.save(TokenSetRecord(tokenSet).encoded(), for: self.session.key)
  }

  package func remove() async throws(TokenStoreError) {
    try await self.store.remove(self.session.key)
    // Errors are ignored: a session without tokens is skipped when the index is read.
    try? await SessionIndex(store: self.store).remove(self.session)
  }

  /// Stores the tokens of a new sign-in and adds its session to the index. The caller must not hold the leases on the
  /// tokens and the index, which this function takes.
  /// - Returns: The tokens that were replaced, if there were any and they can be read.
  package func replace(with tokenSet: TokenSet) async throws -> TokenSet? {
    let index = SessionIndex(store: self.store)
    try await index.add(self.session)
    let replacedTokens = try await self.store.withLease(on: self.session.key) {
      let oldTokens = try? await self.load()
      try await self.save(tokenSet)
      return oldTokens
    }
    // A concurrent sign-out may have removed the entry.
    try await index.add(self.session)
    return replacedTokens
  }
}

extension TokenSet {
  /// The values that ``TokenSetStore/replace(with:)`` saves for a session of the unnamed account. A store in memory can
  /// add them synchronously. Empty if the tokens cannot be encoded.
  /// - Parameter load: Returns a stored value.
  package func storedValues(
    _ load: (TokenStoreKey) -> Secret<[UInt8]>?
  ) -> [TokenStoreKey: Secret<[UInt8]>] {
    let session = StoredSession(issuer: self.issuer, clientID: self.clientID, account: nil)
    guard let tokens = try? TokenSetRecord(self).encoded() else { return [:] }
    var values = [session.key: tokens]
    let index = SessionIndex.adding([session], to: load(SessionIndex.key))
    if let index { values[SessionIndex.key] = index }
    return values
  }
}
