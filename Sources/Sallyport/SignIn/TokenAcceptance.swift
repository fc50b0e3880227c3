import SallyportProtocol
import SallyportRemote

/// What every way of signing in ends with: the tokens are checked against the request, and stored in place of those before them.
struct TokenAcceptance: Sendable {
  let client: OAuthClient
  let endpoints: ProviderEndpoints
  let scope: Scope
  let terms: SignInTerms
  /// Nil where there was no authorization request that could have carried one.
  let nonce: Secret<String>?

  /// Stores the grant of a sign-in.
  /// - Parameter requestedAt: the time before the request for the tokens.
  /// - Returns: the grant, and the one whose place it takes.
  func store(_ tokens: TokenResponse, requestedAt: Timestamp) async throws -> (new: Grant, replaced: Grant?) {
    let claims = try await self.claims(of: tokens)
    var grant = Grant(
      issuer: self.client.issuer, clientID: self.client.clientID, requestedScope: self.scope, terms: self.terms,
      response: tokens, claims: claims, requestedAt: requestedAt)
    if claims != nil, self.endpoints.metadata.endSessionEndpoint != nil { grant.idToken = tokens.idToken }
    return (grant, try await self.client.grants.replace(with: grant))
  }

  private func claims(of tokens: TokenResponse) async throws -> IDTokenClaims? {
    guard self.scope.contains(.openID) else { return nil }
    guard let idToken = tokens.idToken else { throw SignInError.tokenResponse(.idTokenMissing) }
    var expectations = IDTokenExpectations(nonce: self.nonce?.reveal(), accessToken: tokens.accessToken)
    expectations.maxAge = self.terms.maxAge
    expectations.acrValues = self.terms.requiredACRValues
    return try await self.endpoints.verify(idToken, expecting: expectations)
  }
}
