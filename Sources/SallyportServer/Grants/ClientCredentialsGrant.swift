import SallyportProtocol

/// A validated `grant_type=client_credentials` request (RFC 6749 §4.4). The client acts for itself, so there is no
/// user, no refresh token, and no ID token.
struct ClientCredentialsGrant: Sendable {
  let client: ClientRecord
  let proof: UnusedDPoPProof?
  let parameters: AccessTokenParameters

  init(_ request: TokenRequest, _ configuration: ServerConfiguration) throws(TokenError) {
    // RFC 6749 §4.4: only confidential clients may use this grant.
    guard request.client.isConfidential else { throw .publicClientNotAllowed }
    let scope = try Self.scope(request.scope(), of: request.client)
    let resources: [String]
    do throws(ResourceError) {
      resources = try ResourceIndicators.validate(
        request.form.values(of: "resource"), by: request.client, known: configuration.resources)
    } catch { throw .resource(error) }
    self.client = request.client
    self.proof = request.proof
    self.parameters = AccessTokenParameters(scope: scope, resources: resources, jkt: request.jkt)
  }

  /// Returns the scope of the access token. Scope values that concern a user are not available, because there is no
  /// user.
  private static func scope(_ requested: Scope?, of client: ClientRecord) throws(TokenError) -> Scope {
    let availableScope = client.scope.subtracting(Scope([.openID, .profile, .email, .offlineAccess]))
    guard let requested else { return availableScope }
    guard availableScope.contains(requested) else { throw .scopeExceedsGrant }
    return requested
  }
}
