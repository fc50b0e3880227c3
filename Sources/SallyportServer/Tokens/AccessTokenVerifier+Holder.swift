import SallyportProtocol

extension AccessTokenVerifier {
  /// The current holder of a token.
  package enum Holder: Sendable {
    /// The user; nil if the client acts for itself.
    case living(GrantHolder?)
    /// The token is no longer valid: the grant was revoked or has expired, the account is disabled, or the client was
    /// removed.
    case ended
  }

  /// Returns the holder of a token. It is read from the store each time, so that a revocation takes effect immediately.
  package func holder(of claims: AccessTokenClaims) async throws(StoreError) -> Holder {
    guard let grant = claims.grant else { return try await self.clientHolder(of: claims) }
    let (id, now) = (GrantID(rawValue: grant), self.now())
    let holder = try await self.store.read { (tx) throws(StoreError) in try tx.holder(of: id, at: now) }
    return holder.map { .living($0) } ?? .ended
  }

  /// Checks a token of client credentials, which has no grant. Its revocation is stored until the token expires.
  private func clientHolder(of claims: AccessTokenClaims) async throws(StoreError) -> Holder {
    guard try await self.cache.client(ClientID(rawValue: claims.clientID)) != nil else { return .ended }
    let mark = Self.revocationMark(of: claims)
    let isRevoked = try await self.store.read { (tx) throws(StoreError) in try tx.isIdentifierUsed(mark) }
    return isRevoked ? .ended : .living(nil)
  }

  /// The fingerprint that is stored for a revoked token without a grant.
  static func revocationMark(of claims: AccessTokenClaims) -> Fingerprint {
    Fingerprint(of: Secret("revoked\n\(claims.id)"))
  }
}
