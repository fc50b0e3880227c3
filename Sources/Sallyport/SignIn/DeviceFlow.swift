import SallyportProtocol
import SallyportRemote

/// One sign-in on another device, from the request for a code to the stored tokens (RFC 8628 §3).
struct DeviceFlow: Sendable {
  let client: OAuthClient
  let options: SignInOptions
  let endpoints: ProviderEndpoints
  let sleep: Sleeper
  let show: @Sendable (DevicePrompt) async -> Void

  func run() async throws -> TokenSet {
    let scope = self.client.server.supported(self.options.scope)
    guard let endpoint = self.endpoints.deviceAuthorization else { throw DeviceAuthorizationError.notOffered }
    let details = try self.client.signInDetails(self.options, self.endpoints.metadata)
    let now = self.client.now()
    let additional = self.client.server.parameters.device.merging(self.options.additional)
    let authorization = try await endpoint.authorize(
      scope: scope, resources: details.resources, additional: additional, now: now)
    await self.show(authorization.prompt)
    let (tokens, requestedAt) = try await self.tokens(authorization, deadline: now + self.options.timeout, details)
    self.options.progress(.responseReceived)
    let acceptance = TokenAcceptance(
      client: self.client, endpoints: self.endpoints, scope: scope, details: details, nonce: nil)
    let (tokenSet, replaced) = try await acceptance.store(tokens, requestedAt: requestedAt)
    if self.options.revokesReplaced { await self.client.provider.revoke(replaced, replacedBy: tokenSet) }
    self.options.reportMissingRefreshToken(of: tokenSet)
    return tokenSet
  }

  /// Polls until the server returns tokens or an error that ends the sign-in, or until the deadline has passed.
  private func tokens(
    _ authorization: DeviceAuthorization, deadline: Timestamp, _ details: SignInDetails
  ) async throws -> (TokenResponse, requestedAt: Timestamp) {
    let binding = try self.client.binding(details.dpopKey)
    var polling = DevicePolling(
      interval: authorization.interval, deadline: min(deadline, Timestamp(authorization.prompt.expiration)))
    while let wait = polling.wait(from: self.client.now()) {
      try await self.sleep(wait)
      try Task.checkCancellation()
      let requestedAt = self.client.now()
      do {
        let tokens = try await self.endpoints.token.redeem(
          deviceCode: authorization.deviceCode, resources: details.resources, binding: binding)
        return (tokens, requestedAt)
      } catch {
        // Throws the error if it ends the sign-in.
        try polling.record(error)
      }
    }
    throw SignInError.timedOut
  }
}

/// Sleeps for a duration. Tests inject their own implementation.
package typealias Sleeper = @Sendable (Duration) async throws -> Void
