package import SallyportProtocol

/// The token endpoint, RFC 6749 §3.2: reads the request, authenticates the client, and hands over to the grant.
package struct TokenEndpoint<S: Store>: Sendable {
  let authenticator: ClientAuthenticator<S>
  let authorizationCode: AuthorizationCodeGrant<S>
  let refreshToken: RefreshTokenGrant<S>

  /// - Parameters:
  ///   - body: the form as it came.
  ///   - authorization: the Authorization header.
  package func respond(to body: String, authorization: String?) async throws(TokenError) -> TokenResponse {
    let form = try FormParameters(tokenRequest: body)
    guard let name = form["grant_type"] else { throw TokenError(.invalidRequest, .missingParameter("grant_type")) }
    guard let grantType = GrantType(rawValue: name) else { throw TokenError(.unsupportedGrantType, .grantTypeUnsupported) }
    let client = try await self.authenticator.authenticate(PresentedCredentials(authorization: authorization, form: form))
    switch grantType {
    case .authorizationCode: return try await self.authorizationCode.respond(to: form, from: client)
    case .refreshToken: return try await self.refreshToken.respond(to: form, from: client)
    case .clientCredentials, .deviceCode: throw TokenError(.unsupportedGrantType, .grantTypeUnsupported)
    }
  }
}

extension FormParameters {
  /// The form of a request to the token or revocation endpoint.
  init(tokenRequest body: String) throws(TokenError) {
    do throws(FormError) { try self.init(parsing: body) } catch {
      switch error {
      case .malformed: throw TokenError(.invalidRequest, .malformedForm)
      case .repeated(let name): throw TokenError(.invalidRequest, .repeatedParameter(name))
      }
    }
  }
}
