import SallyportProtocol

/// The introspection endpoint (RFC 7662): tells a confidential client whether a token is active, and what it
/// authorizes.
package struct IntrospectionEndpoint: Sendable {
  let requests: ClientRequests
  let store: any Store
  let accessTokens: AccessTokenVerifier
  let issuer: Issuer
  let now: TimeSource

  /// Responds to a request. For the parameters, see ``TokenEndpoint/respond(to:authorization:proofs:origin:from:)``.
  package func respond(
    to body: String, authorization: String?, origin: AuditOrigin, from address: ClientAddress
  ) async throws(IntrospectionError) -> IntrospectionResponse {
    let request: ClientRequest
    do {
      request = try await self.requests.receive(
        FormParameters(clientRequest: body), authorization: authorization, at: EndpointPath.introspection, origin: origin,
        from: address)
    } catch { throw .request(error) }
    let client = request.client.record
    // RFC 7662 §2.1: the caller must be authenticated, to prevent scanning for valid tokens.
    guard client.isConfidential else { throw .publicClientNotAllowed }
    guard let token = request.form["token"] else { throw .missingParameter("token") }
    if let token = RefreshToken(token) {
      do { return try await self.introspect(refreshToken: token, for: client) } catch { throw .storage(error) }
    }
    do { return try await self.introspect(accessToken: Secret(token), for: client) } catch { throw IntrospectionError(error) }
  }

  /// RFC 7662 §4: an access token is shown only to the client to which it was issued and to the API for which it is
  /// intended.
  static func isVisible(_ claims: AccessTokenClaims, _ client: ClientRecord) -> Bool {
    claims.clientID == client.id.rawValue
      || client.details.audiences?.contains(where: { audience in
        claims.audience.values.contains { ResourceIndicator.areEquivalent($0, audience) }
      }) ?? false
  }

  private func introspect(
    accessToken token: Secret<String>, for client: ClientRecord
  ) async throws(KeyRingError) -> IntrospectionResponse {
    guard let claims = try await self.accessTokens.claims(of: token), Self.isVisible(claims, client) else { return .inactive }
    let status: AccessTokenVerifier.Status
    do { status = try await self.accessTokens.status(of: claims) } catch { throw .storage(error) }
    guard case .active(let owner) = status else { return .inactive }
    return IntrospectionResponse(claims, username: owner?.account.username.value)
  }

  /// A refresh token is shown only to its own client.
  private func introspect(
    refreshToken token: RefreshToken, for client: ClientRecord
  ) async throws(StoreError) -> IntrospectionResponse {
    let now = self.now()
    let found = try await self.store.read { (tx) throws(StoreError) in try tx.refreshToken(token) }
    guard let found, found.grant.client == client.id, found.credential.consumedAt == nil, now < found.credential.expiresAt,
      found.grant.revokedAt == nil, now < found.grant.expiresAt, found.account.disabledAt == nil
    else { return .inactive }
    return IntrospectionResponse(found.credential, found.grant, issuer: self.issuer)
  }
}
