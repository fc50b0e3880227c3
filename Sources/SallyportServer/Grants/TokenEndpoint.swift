package import SallyportProtocol

/// The token endpoint (RFC 6749 §3.2): parses the request, authenticates the client, and redeems the grant.
package struct TokenEndpoint: Sendable {
  let requests: ClientRequests
  let redeemer: GrantRedeemer

  /// Tokens that were issued for a request.
  package struct Issued: Sendable {
    package let grantType: GrantType
    package let response: TokenResponse
  }

  /// Responds to a token request.
  /// - Parameters:
  ///   - body: The form-encoded body.
  ///   - authorization: The value of the `Authorization` header field.
  ///   - proofs: The values of the `DPoP` header fields.
  ///   - origin: The origin of the request, for the audit trail.
  ///   - address: The client address, for rate limits.
  package func respond(
    to body: String, authorization: String?, proofs: [String] = [], origin: AuditOrigin, from address: ClientAddress
  ) async throws(TokenError) -> Issued {
    let form: FormParameters
    do { form = try FormParameters(clientRequest: body) } catch { throw .request(error) }
    guard let name = form["grant_type"] else { throw .missingParameter("grant_type") }
    guard let grantType = GrantType(rawValue: name) else { throw .grantTypeUnsupported }
    let request: ClientRequest
    do {
      request = try await self.requests.receive(
        form, authorization: authorization, proofs: proofs, at: EndpointPath.token, origin: origin, from: address)
    } catch { throw .request(error) }
    return Issued(grantType: grantType, response: try await self.respond(to: TokenRequest(request, for: grantType), grantType))
  }

  private func respond(to request: TokenRequest, _ grantType: GrantType) async throws(TokenError) -> TokenResponse {
    switch grantType {
    case .authorizationCode: try await self.redeemer.redeem(AuthorizationCodeGrant(request))
    case .refreshToken: try await self.redeemer.redeem(RefreshTokenGrant(request))
    case .deviceCode: try await self.redeemer.redeem(DeviceCodeGrant(request))
    case .clientCredentials: try await self.redeemer.redeem(ClientCredentialsGrant(request, self.redeemer.configuration))
    }
  }
}
