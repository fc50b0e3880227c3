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
    let client = try await self.authenticator.authenticate(PresentedCredentials(authorization: authorization, form: form))
    do {
      guard let id = try await self.grant(of: token) else { return }
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
    return try await self.accessTokens.claims(of: Secret(token)).map { GrantID(rawValue: $0.grant) }
  }
}
