import SallyportProtocol

/// The introspection endpoint (RFC 7662): tells a confidential client whether a token is active, and what it
/// authorizes.
package struct IntrospectionEndpoint: Sendable {
  let authenticator: ClientAuthenticator
  let store: any Store
  let accessTokens: AccessTokenVerifier
  let issuer: Issuer
  let now: TimeSource

  package func respond(
    to body: String, authorization: String?, from origin: AuditOrigin, at address: ClientAddress
  ) async throws(TokenError) -> IntrospectionResponse {
    let form = try FormParameters(tokenRequest: body)
    let client = try await self.authenticator.authenticate(
      form, authorization: authorization, at: EndpointPath.introspection, from: origin, address: address)
    try Self.checkConfidential(client.record)
    guard let token = form["token"] else { throw TokenError(.invalidRequest, .missingParameter("token")) }
    do {
      if let token = RefreshToken(token) { return try await self.refreshToken(token, to: client.record) }
      return try await self.accessToken(Secret(token), to: client.record)
    } catch let error as StoreError {
      throw TokenError(storage: error)
    } catch {
      throw TokenError(.serverError, .signing)
    }
  }

  /// RFC 7662 §2.1: the caller must be authenticated, to prevent scanning for valid tokens.
  static func checkConfidential(_ client: ClientRecord) throws(TokenError) {
    guard client.isConfidential else { throw TokenError(.invalidClient, .clientPublic) }
  }

  /// RFC 7662 §4: a token is shown only to the client to which it was issued and to the API for which it is intended.
  static func maySee(_ claims: AccessTokenClaims, _ client: ClientRecord) -> Bool {
    claims.clientID == client.id.rawValue
      || client.details.audiences?.contains(where: { claims.audience.values.contains($0) }) ?? false
  }

  private func accessToken(_ token: Secret<String>, to client: ClientRecord) async throws -> IntrospectionResponse {
    guard let claims = try await self.accessTokens.claims(of: token), Self.maySee(claims, client) else { return .inactive }
    guard case .living(let holder) = try await self.accessTokens.holder(of: claims) else { return .inactive }
    return IntrospectionResponse(claims, username: holder?.account.username.value)
  }

  /// A refresh token is shown only to its own client.
  private func refreshToken(_ token: RefreshToken, to client: ClientRecord) async throws -> IntrospectionResponse {
    let now = self.now()
    let found = try await self.store.read { (tx) throws(StoreError) in try tx.refreshToken(token) }
    guard let found, found.grant.client == client.id, found.credential.consumedAt == nil, now < found.credential.expiresAt,
      found.grant.revokedAt == nil, now < found.grant.expiresAt, found.account.disabledAt == nil
    else { return .inactive }
    return IntrospectionResponse(found.credential, found.grant, issuer: self.issuer)
  }
}
