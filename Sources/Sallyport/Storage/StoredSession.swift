public import SallyportProtocol

/// One signed-in account that rests in a store.
public struct StoredSession: Codable, Hashable, Sendable {
  public let issuer: Issuer
  public let clientID: String
  /// The app's own name for the account, as given to ``OAuthClient``; nil for the one without a name.
  public let account: String?

  package init(issuer: Issuer, clientID: String, account: String?) {
    self.issuer = issuer
    self.clientID = clientID
    self.account = account
  }

  /// Where its grant rests.
  var key: TokenStoreKey {
    TokenStoreKey(kind: "grant", issuer: self.issuer.value, clientID: self.clientID, account: self.account)
  }
}

extension TokenStore {
  /// The sessions that rest here, of all issuers, clients and accounts, in the order of their first sign-ins. Needs no network.
  /// - Throws: ``TokenStoreError``
  public func storedSessions() async throws(TokenStoreError) -> [StoredSession] {
    try await SessionIndex(store: self).sessions()
  }
}
