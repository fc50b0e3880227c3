import SallyportProtocol

/// The revocation endpoint (RFC 7009).
package struct RevocationEndpoint: Sendable {
  let authenticator: ClientAuthenticator
  let store: any Store
  let accessTokens: AccessTokenVerifier
  let now: TimeSource

  /// Revokes the grant of a refresh token or access token.
  ///
  /// Does nothing if the token is unknown or belongs to another client, which is not an error (RFC 7009 §2.2).
  package func respond(
    to body: String, authorization: String?, from origin: AuditOrigin, at address: ClientAddress
  ) async throws(TokenError) {
    let form = try FormParameters(tokenRequest: body)
    guard let token = form["token"] else { throw TokenError(.invalidRequest, .missingParameter("token")) }
    let client = try await self.authenticator.authenticate(
      form, authorization: authorization, at: EndpointPath.revocation, from: origin, address: address)
    do {
      guard let id = try await self.grant(of: token) else {
        return try await self.revokeOwn(token, of: client.record, from: origin)
      }
      let (clientID, now) = (client.record.id, self.now())
      try await self.store.write { (tx) throws(StoreError) in
        guard let grant = try tx.grant(id), grant.client == clientID else { return }
        try tx.end(grant, for: .clientRequest, from: origin, at: now)
      }
    } catch let error as StoreError {
      throw TokenError(storage: error)
    } catch {
      throw TokenError(.serverError, .signing)
    }
  }

  private func grant(of token: String) async throws -> GrantID? {
    if let refreshToken = RefreshToken(token) {
      return try await self.store.read { (tx) throws(StoreError) in try tx.refreshToken(refreshToken)?.grant.id }
    }
    return try await self.accessTokens.claims(of: Secret(token))?.grant.map { GrantID(rawValue: $0) }
  }

  /// Revokes an access token that a client obtained for itself. There is no grant, so the token's identifier is stored
  /// until the token expires.
  private func revokeOwn(_ token: String, of client: ClientRecord, from origin: AuditOrigin) async throws {
    guard let claims = try await self.accessTokens.claims(of: Secret(token)), claims.grant == nil,
      claims.clientID == client.id.rawValue
    else { return }
    let mark = AccessTokenVerifier.revocationMark(of: claims)
    let expires = Timestamp(seconds: claims.expiration) + .seconds(60)
    let (clientID, now) = (client.id, self.now())
    try await self.store.write { (tx) throws(StoreError) in
      guard try tx.useIdentifier(mark, expires: expires) else { return }
      try tx.insert(AuditRecord(.tokenRevoked, client: clientID, from: origin, at: now))
    }
  }
}
