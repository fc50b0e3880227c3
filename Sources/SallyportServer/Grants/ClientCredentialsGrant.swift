package import SallyportProtocol

/// `grant_type=client_credentials` (RFC 6749 §4.4): the client acts for itself. There is no user, no refresh token, and
/// no ID token.
package struct ClientCredentialsGrant: Sendable {
  let minter: TokenMinter
  let proofs: DPoPVerifier
  let now: TimeSource

  package func respond(to request: TokenRequest) async throws(TokenError) -> TokenResponse {
    try Self.checkConfidential(request.client)
    let scope = try Self.scope(request.form["scope"], of: request.client)
    let resources: [String]
    do throws(ResourceError) {
      resources = try ResourceIndicators.requested(
        request.form.values(of: "resource"), by: request.client, known: self.minter.configuration.resources)
    } catch { throw TokenError(.invalidTarget, .resource(error)) }
    let now = self.now()
    let signers = try await self.minter.signers(for: request.client, at: now)
    if let proof = request.proof {
      do { try await self.proofs.use(proof) } catch { throw TokenError(error) }
    }
    return try self.minter.response(
      for: request.client, TokenAccess(scope: scope, resources: resources, key: request.key),
      signedBy: signers, at: now)
  }

  /// RFC 6749 §4.4: only confidential clients may use this grant.
  static func checkConfidential(_ client: ClientRecord) throws(TokenError) {
    guard client.isConfidential else { throw TokenError(.unauthorizedClient, .clientPublic) }
  }

  /// Returns the scope without a user: the scope values that concern a user are not available.
  static func scope(_ text: String?, of client: ClientRecord) throws(TokenError) -> Scope {
    let own = client.scope.subtracting(Scope([.openID, .profile, .email, .offlineAccess]))
    guard let text else { return own }
    guard let requested = Scope(text) else { throw TokenError(.invalidScope, .scopeMalformed) }
    guard own.contains(requested) else { throw TokenError(.invalidScope, .scopeExceedsGrant) }
    return requested
  }
}
