import SallyportProtocol
import SallyportRemote

/// One sign-in on another device, from the request for a code to the stored grant: RFC 8628 §3.
struct DeviceFlow: Sendable {
  let client: OAuthClient
  let options: SignInOptions
  let endpoints: ProviderEndpoints
  let sleep: Sleeper
  let show: @Sendable (DevicePrompt) async -> Void

  func run() async throws -> Grant {
    guard let endpoint = self.endpoints.deviceAuthorization else { throw DeviceAuthorizationError.notOffered }
    let key = try self.client.dpop.makeKey(for: self.endpoints.metadata)
    let now = self.client.now()
    let authorization = try await endpoint.authorize(scope: self.options.scope, now: now)
    await self.show(authorization.prompt)
    let (tokens, requestedAt) = try await self.tokens(
      authorization, deadline: now + self.options.timeout, binding: self.client.binding(key))
    self.options.progress(.answered)
    let claims = try await self.claims(of: tokens)
    var terms = SignInTerms()
    terms.dpopKey = key?.storedForm
    let grant = Grant(
      issuer: self.client.issuer, clientID: self.client.clientID, requestedScope: self.options.scope, terms: terms,
      response: tokens, claims: claims, requestedAt: requestedAt)
    let replaced = try await self.client.grants.replace(with: grant)
    if self.options.revokesReplaced { await self.endpoints.revoke(replaced, replacedBy: grant) }
    return grant
  }

  /// Asks until the person has agreed, has said no, or has taken too long.
  private func tokens(
    _ authorization: DeviceAuthorization, deadline: Timestamp, binding: DPoPBinding?
  ) async throws -> (TokenResponse, requestedAt: Timestamp) {
    var polling = DevicePolling(interval: authorization.interval, deadline: min(deadline, authorization.prompt.expiresAt))
    while let wait = polling.wait(from: self.client.now()) {
      try await self.sleep(wait)
      try Task.checkCancellation()
      let requestedAt = self.client.now()
      do {
        return (try await self.endpoints.token.redeem(deviceCode: authorization.deviceCode, binding: binding), requestedAt)
      } catch {
        try polling.pause(after: error)
      }
    }
    throw SignInError.timedOut
  }

  /// There is no authorization request, and so no nonce, that an ID token could answer.
  private func claims(of tokens: TokenResponse) async throws -> IDTokenClaims? {
    guard self.options.scope.contains(.openID) else { return nil }
    guard let idToken = tokens.idToken else { throw SignInError.tokenResponse(.idTokenMissing) }
    return try await self.endpoints.verify(
      idToken, expecting: IDTokenExpectations(nonce: nil, accessToken: tokens.accessToken))
  }
}

/// Waits; injected, so that a test waits for events instead.
package typealias Sleeper = @Sendable (Duration) async throws -> Void
