import SallyportProtocol

/// The revocation endpoint, RFC 7009: a client gives back what it was issued.
package struct RevocationEndpoint<S: Store>: Sendable {
  let authenticator: ClientAuthenticator<S>
  let store: S
  let accessTokens: AccessTokenVerifier<S>
  let now: TimeSource

  /// Ends the grant of a refresh token or access token. Returns also for a token that is unknown or was another client's: that
  /// is no error (RFC 7009 §2.2), and another client's grant stays.
  package func respond(to body: String, authorization: String?) async throws(TokenError) {
    let form = try FormParameters(tokenRequest: body)
    guard let token = form["token"] else { throw TokenError(.invalidRequest, .missingParameter("token")) }
    let client = try await self.authenticator.authenticate(
      PresentedCredentials(authorization: authorization, form: form), at: EndpointPath.revocation)
    do {
      guard let id = try await self.grant(of: token) else { return try await self.revokeOwn(token, of: client.record) }
      let (clientID, now) = (client.record.id, self.now())
      try await self.store.write { (tx) throws(StoreError) in
        guard try tx.grant(id)?.client == clientID else { return }
        try tx.revokeGrant(id, reason: .clientRequest, at: now)
      }
    } catch let error as StoreError {
      throw TokenError(storage: error)
    } catch {
      throw TokenError(.serverError, .signing)
    }
  }

  private func grant(of token: String) async throws -> GrantID? {
    if let refreshToken = OpaqueToken(.refreshToken, token) {
      return try await self.store.read { (tx) throws(StoreError) in try tx.refreshToken(refreshToken.fingerprint)?.grant }
    }
    return try await self.accessTokens.claims(of: Secret(token))?.grant.map { GrantID(rawValue: $0) }
  }

  /// A token of client credentials has no grant that could be revoked: its identifier is remembered as long as it would live.
  private func revokeOwn(_ token: String, of client: ClientRecord) async throws {
    guard let claims = try await self.accessTokens.claims(of: Secret(token)), claims.grant == nil,
      claims.clientID == client.id.rawValue
    else { return }
    let mark = AccessTokenVerifier<S>.revocationMark(of: claims)
    let expires = Timestamp(seconds: claims.expiration) + .seconds(60)
    _ = try await self.store.write { (tx) throws(StoreError) in try tx.useIdentifier(mark, expires: expires) }
  }
}
