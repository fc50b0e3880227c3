import SallyportProtocol

/// The revocation endpoint (RFC 7009).
package struct RevocationEndpoint: Sendable {
  let requests: ClientRequests
  let store: any Store
  let accessTokens: AccessTokenVerifier
  let now: TimeSource

  /// Revokes the token's grant or, if an access token has no grant, the token itself.
  ///
  /// Does nothing if the token is unknown, belongs to another client, or is an expired access token. This is not an
  /// error (RFC 7009 §2.2).
  package func respond(
    to body: String, authorization: String?, origin: AuditOrigin, from address: ClientAddress
  ) async throws(RevocationError) {
    let request: ClientRequest
    let token: String
    do throws(ClientRequestError) {
      let form = try FormParameters(clientRequest: body)
      guard let value = form["token"] else { throw .missingParameter("token") }
      token = value
      request = try await self.requests.receive(
        form, authorization: authorization, at: EndpointPath.revocation, origin: origin, from: address)
    } catch { throw .request(error) }
    let client = request.client.record.id
    if let refreshToken = RefreshToken(token) {
      do { try await self.revoke(refreshToken, of: client, from: origin) } catch { throw .storage(error) }
    } else {
      let claims: AccessTokenClaims?
      do { claims = try await self.accessTokens.claims(of: Secret(token)) } catch { throw RevocationError(error) }
      guard let claims else { return }
      do { try await self.revoke(claims, of: client, from: origin) } catch { throw .storage(error) }
    }
  }

  private func revoke(_ token: RefreshToken, of client: ClientID, from origin: AuditOrigin) async throws(StoreError) {
    let now = self.now()
    // The token is looked up in the transaction that revokes its grant, because a separate read can be stale and miss
    // the token (docs/decisions/0175-confirm-rejections.md).
    try await self.store.write { (tx) throws(StoreError) in
      guard let grant = try tx.refreshToken(token)?.grant, grant.client == client else { return }
      try tx.end(grant, for: .clientRequest, from: origin, at: now)
    }
  }

  private func revoke(_ claims: AccessTokenClaims, of client: ClientID, from origin: AuditOrigin) async throws(StoreError) {
    if let grant = claims.grant {
      try await self.revoke(GrantID(rawValue: grant), of: client, from: origin)
    } else if claims.clientID == client.rawValue {
      try await self.revokeOwn(claims, of: client, from: origin)
    }
  }

  private func revoke(_ id: GrantID, of client: ClientID, from origin: AuditOrigin) async throws(StoreError) {
    let now = self.now()
    try await self.store.write { (tx) throws(StoreError) in
      guard let grant = try tx.grant(id), grant.client == client else { return }
      try tx.end(grant, for: .clientRequest, from: origin, at: now)
    }
  }

  /// Revokes an access token that a client obtained for itself. There is no grant to revoke, so the token's identifier
  /// is stored, and the token is no longer accepted.
  private func revokeOwn(
    _ claims: AccessTokenClaims, of client: ClientID, from origin: AuditOrigin
  ) async throws(StoreError) {
    let fingerprint = AccessTokenVerifier.revocationFingerprint(of: claims)
    // The identifier is kept for a minute longer than the token is valid, in case another server's clock is behind.
    let (expires, now) = (Timestamp(seconds: claims.expiration) + .seconds(60), self.now())
    try await self.store.write { (tx) throws(StoreError) in
      guard try tx.consumeIdentifier(fingerprint, expires: expires) else { return }
      try tx.insert(AuditRecord(.tokenRevoked, client: client, from: origin, at: now))
    }
  }
}
