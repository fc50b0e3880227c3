import SallyportProtocol
import SallyportRemote

/// One sign-in in the browser (RFC 8252 §4.1). It begins when the receiver is ready to receive the redirect, and ends
/// when the tokens are stored.
struct SignInFlow: Sendable {
  let client: OAuthClient
  let options: SignInOptions
  let endpoints: ProviderEndpoints
  let userAgent: any UserAgent

  /// Signs the user in.
  /// - Parameter bound: The redirect URI, for which the receiver already waits.
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
