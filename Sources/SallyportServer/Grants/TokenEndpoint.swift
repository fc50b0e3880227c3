package import SallyportProtocol

/// The token endpoint (RFC 6749 §3.2): parses the request, authenticates the client, and calls the grant.
package struct TokenEndpoint: Sendable {
  let authenticator: ClientAuthenticator
  let proofs: DPoPVerifier
  let authorizationCode: AuthorizationCodeGrant
  let refreshToken: RefreshTokenGrant
  let clientCredentials: ClientCredentialsGrant
  let deviceCode: DeviceCodeGrant

  /// Responds to a token request.
  /// - Parameters:
  ///   - body: The form-encoded body.
  ///   - authorization: The value of the Authorization header.
  ///   - proofs: The values of the DPoP header fields.
  ///   - granted: Called with the grant type after tokens were issued.
  package func respond(
    to body: String, authorization: String?, proofs: [String] = [], from origin: AuditOrigin, at address: ClientAddress,
    granted: (GrantType) -> Void = { _ in }
  ) async throws(TokenError) -> TokenResponse {
    let form = try FormParameters(tokenRequest: body)
    guard let name = form["grant_type"] else { throw TokenError(.invalidRequest, .missingParameter("grant_type")) }
    guard let grantType = GrantType(rawValue: name) else { throw TokenError(.unsupportedGrantType, .grantTypeUnsupported) }
    let client = try await self.authenticator.authenticate(
      form, authorization: authorization, at: EndpointPath.token, from: origin, address: address)
    let proof: UnusedDPoPProof?
    do { proof = try self.proofs.check(proofs, at: EndpointPath.token) } catch { throw TokenError(error) }
    let request = TokenRequest(form: form, client: client, proof: proof, from: origin)
    try request.checkGrantType(grantType)
    try request.checkProofPresent()
    let response =
      switch grantType {
      case .authorizationCode: try await self.authorizationCode.respond(to: request)
      case .refreshToken: try await self.refreshToken.respond(to: request)
      case .clientCredentials: try await self.clientCredentials.respond(to: request)
      case .deviceCode: try await self.deviceCode.respond(to: request)
      }
    granted(grantType)
    return response
  }
}

extension FormParameters {
  /// Parses the form of a request to the token endpoint, or to another endpoint for clients.
  init(tokenRequest body: String) throws(TokenError) {
    do throws(FormError) { try self.init(parsing: body, repeatable: ResourceIndicators.parameter) } catch {
      switch error {
      case .malformed: throw TokenError(.invalidRequest, .malformedForm)
      case .repeated(let name): throw TokenError(.invalidRequest, .repeatedParameter(name))
      }
    }
  }
}
