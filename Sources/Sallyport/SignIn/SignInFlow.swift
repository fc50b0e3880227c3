import SallyportProtocol
import SallyportRemote

/// One sign-in, from the bound receiver to the stored tokens: the six steps of RFC 8252 §4.1.
struct SignInFlow: Sendable {
  let client: OAuthClient
  let options: SignInOptions
  let endpoints: ProviderEndpoints
  let userAgent: any UserAgent

  /// Signs the user in with a bound receiver.
  func run(_ bound: BoundRedirect) async throws -> TokenSet {
    let pending = try self.client.makePendingSignIn(
      self.options, redirectURI: bound.redirectURI, self.endpoints.metadata)
    let attempt = SignInAttempt(client: self.client, pending: pending, uiLocales: self.options.uiLocales)
    try await attempt.begin()
    return try await attempt.run {
      let url = try await self.client.authorizationURL(for: pending, self.options, self.endpoints)
      self.options.progress(.opening(url))
      try await self.userAgent.open(url)
      let receivedRedirect = try await attempt.response(on: bound, within: self.options.timeout)
      self.options.progress(.responseReceived)
      let tokenSet = try await attempt.finish(receivedRedirect, self.endpoints)
      self.options.reportMissingRefreshToken(of: tokenSet)
      return tokenSet
    }
  }
}
