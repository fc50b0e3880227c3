public import SallyportProtocol

/// A signed-in account in a token store.
public struct StoredSession: Codable, Hashable, Sendable {
  /// The authorization server's issuer identifier.
  public let issuer: Issuer
  /// The client identifier at the server.
  public let clientID: String
  /// The name that the app gives to the account; see ``OAuthClient/account``. `nil` for the unnamed account.
  public let account: String?

  package init(issuer: Issuer, clientID: String, account: String?) {
    self.issuer = issuer
    self.clientID = clientID
    self.account = account
  }

  /// The store key of the session's tokens.
  var key: TokenStoreKey {
    TokenStoreKey(kind: "grant", issuer: self.issuer.value, clientID: self.clientID, account: self.account)
  }
}

extension TokenStore {
  /// The sessions in this store, of all issuers, clients, and accounts, in the order in which they were added. If a
  /// sign-in replaces a session, the new session takes its place. Needs no network access.
  /// - Throws: ``TokenStoreError``
  public func storedSessions() async throws(TokenStoreError) -> [StoredSession] {
    try await SessionIndex(store: self).sessions()
  }
}
