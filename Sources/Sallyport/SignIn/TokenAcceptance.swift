import SallyportProtocol
import SallyportRemote

/// The last step of every kind of sign-in: checks the tokens against the request, and stores them.
struct TokenAcceptance: Sendable {
  let client: OAuthClient
  let endpoints: ProviderEndpoints
  /// The requested scope.
  let scope: Scope
  let details: SignInDetails
  /// The nonce of the authorization request; `nil` for a sign-in on another device, which has no such request.
  let nonce: Secret<String>?

  /// Stores the tokens of a sign-in.
  /// - Parameter requestedAt: The time just before the token request was sent.
  /// - Returns: The new tokens, and the tokens that they replaced, if any.
  func store(_ tokens: TokenResponse, requestedAt: Timestamp) async throws -> (new: TokenSet, replaced: TokenSet?) {
    let claims = try await self.claims(of: tokens)
    let tokenSet = TokenSet(
      issuer: self.client.issuer, clientID: self.client.clientID, requestedScope: self.scope, details: self.details,
      response: tokens, claims: claims, requestedAt: requestedAt)
    return (tokenSet, try await self.client.tokenSets.replace(with: tokenSet))
  }

  private func claims(of tokens: TokenResponse) async throws -> IDTokenClaims? {
    guard self.scope.contains(.openID) else { return nil }
    guard let idToken = tokens.idToken else { throw SignInError.tokenResponse(.idTokenMissing) }
    var expectations = IDTokenExpectations(nonce: self.nonce?.reveal(), accessToken: tokens.accessToken)
    expectations.serverTime = tokens.date
    expectations.maxAge = self.details.maxAge
    expectations.acrValues = self.details.requiredACRValues
    return try await self.endpoints.verify(idToken, expecting: expectations)
  }
}
