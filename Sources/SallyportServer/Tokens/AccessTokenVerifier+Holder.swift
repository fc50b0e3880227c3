import SallyportProtocol

extension AccessTokenVerifier {
  /// Whose a token is, at this moment.
  package enum Holder: Sendable {
    /// The person, or nil for a client that acts for itself.
    case living(GrantHolder?)
    /// The grant was revoked or has ended, the account is disabled, the client is gone.
    case ended
  }

  /// Looked up each time, so that a revocation bites at once.
  package func holder(of claims: AccessTokenClaims) async throws(StoreError) -> Holder {
    guard let grant = claims.grant else { return try await self.clientHolder(of: claims) }
    let (id, now) = (GrantID(rawValue: grant), self.now())
    let holder = try await self.store.read { (tx) throws(StoreError) in try tx.holder(of: id, at: now) }
    return holder.map { .living($0) } ?? .ended
  }

  /// A token of client credentials has no grant; what was revoked of them is remembered until it expires.
  private func clientHolder(of claims: AccessTokenClaims) async throws(StoreError) -> Holder {
    guard try await self.cache.client(ClientID(rawValue: claims.clientID)) != nil else { return .ended }
    let mark = Self.revocationMark(of: claims)
    let isRevoked = try await self.store.read { (tx) throws(StoreError) in try tx.isIdentifierUsed(mark) }
    return isRevoked ? .ended : .living(nil)
  }

  /// What is remembered of a revoked token that has no grant.
  static func revocationMark(of claims: AccessTokenClaims) -> Fingerprint {
    Fingerprint(of: Secret("revoked\n\(claims.id)"))
  }
}
