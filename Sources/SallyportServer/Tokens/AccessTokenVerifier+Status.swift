import SallyportProtocol

extension AccessTokenVerifier {
  /// Whether a token is still valid.
  package enum Status: Sendable {
    /// - Parameter owner: The user; nil if the client acts for itself.
    case active(ResourceOwner?)
    /// The token is no longer valid: the token itself was revoked, the grant was revoked or has expired, the account is
    /// disabled, or the account or the client was removed.
    case inactive
  }

  /// Returns whether a token is still valid, and for which user. Looks for a revocation in the store each time, so that
  /// the revocation takes effect immediately.
  package func status(of claims: AccessTokenClaims) async throws(StoreError) -> Status {
    guard let grant = claims.grant else { return try await self.clientStatus(of: claims) }
    let (id, now) = (GrantID(rawValue: grant), self.now())
    let owner = try await self.store.read { (tx) throws(StoreError) in try tx.resourceOwner(of: id, at: now) }
    return owner.map { .active($0) } ?? .inactive
  }

  /// Returns the status of a token that a client got for itself (`client_credentials`), for which no grant is stored.
  /// If the token was revoked, the store contains its fingerprint.
  private func clientStatus(of claims: AccessTokenClaims) async throws(StoreError) -> Status {
    guard try await self.cache.client(ClientID(rawValue: claims.clientID)) != nil else { return .inactive }
    let fingerprint = Self.revocationFingerprint(of: claims)
    let isRevoked = try await self.store.read { (tx) throws(StoreError) in try tx.isIdentifierConsumed(fingerprint) }
    return isRevoked ? .inactive : .active(nil)
  }

  /// The fingerprint that is stored for a revoked token without a grant.
  static func revocationFingerprint(of claims: AccessTokenClaims) -> Fingerprint {
    Fingerprint(of: Secret("revoked\n\(claims.id)"))
  }
}
