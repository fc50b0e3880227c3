import SallyportProtocol
import SallyportRemote

/// One sign-in, from the bound receiver to the stored grant: the six steps of RFC 8252 §4.1.
struct SignInFlow: Sendable {
  let client: OAuthClient
  let options: SignInOptions
  let endpoints: ProviderEndpoints
  let userAgent: any UserAgent

  /// Claims the redirect URI for this issuer (RFC 8252 §8.10), and signs in with it.
  func run(_ bound: BoundRedirect) async throws -> Grant {
    // The exchange takes its time after the answer.
    let limit = self.options.timeout + .seconds(120)
    return try await self.client.redirectClaims.withClaim(
      on: bound.redirectURI, for: self.client.issuer, clientID: self.client.clientID, limit: limit
    ) {
      try await self.signIn(bound)
    }
  }

  /// Opens the browser, waits for the answer, exchanges the code, and tells the person how it went (rule C-27).
  private func signIn(_ bound: BoundRedirect) async throws -> Grant {
    let pending = PendingSignIn(
      issuer: self.client.issuer, clientID: self.client.clientID, redirectURI: bound.redirectURI, scope: self.options.scope)
    let url = try pending.authorizationURL(
      at: self.endpoints.metadata.authorizationEndpoint, loginHint: self.options.loginHint, prompt: self.options.prompt)

    self.options.progress(.opening(url))
    try await self.userAgent.open(url)
    let received = try await self.answer(to: pending, bound)
    self.options.progress(.answered)

    do {
      let grant = try await self.grant(for: received.callbackURL, pending)
      await received.finish(.signedIn(appName: self.client.appName))
      return grant
    } catch {
      let error = SignInError(any: error)
      if case .denied = error {
        await received.finish(.denied)
      } else {
        await received.finish(.failed)
      }
      throw error
    }
  }

  /// Only the time that the person takes is limited; the exchange has the transport's own limits.
  private func answer(to pending: PendingSignIn, _ bound: BoundRedirect) async throws -> ReceivedRedirect {
    try await withThrowingTaskGroup(of: ReceivedRedirect.self) { group in
      group.addTask {
        try await bound.response { AuthorizationResponse.verdict(callbackURL: $0, pending: pending) }
      }
      group.addTask {
        try await Task.sleep(for: self.options.timeout)
        throw SignInError.timedOut
      }
      defer { group.cancelAll() }
      guard let received = try await group.next() else { throw CancellationError() }
      return received
    }
  }

  private func grant(for callbackURL: Secret<String>, _ pending: PendingSignIn) async throws -> Grant {
    let response = try AuthorizationResponse.validate(
      callbackURL: callbackURL, pending: pending, metadata: self.endpoints.metadata)
    let requestedAt = self.client.now()
    let tokens = try await self.endpoints.token.exchange(response)
    let claims = try await self.claims(of: tokens, pending)
    let grant = Grant(
      issuer: pending.issuer, clientID: pending.clientID, requestedScope: pending.scope, response: tokens, claims: claims,
      requestedAt: requestedAt)
    try await self.client.grants.withLease { try await self.client.grants.save(grant) }
    return grant
  }

  private func claims(of tokens: TokenResponse, _ pending: PendingSignIn) async throws -> IDTokenClaims? {
    guard pending.asksForIDToken else { return nil }
    guard let idToken = tokens.idToken else { throw SignInError.tokenResponse(.idTokenMissing) }
    return try await self.endpoints.verify(
      idToken, expecting: IDTokenExpectations(nonce: pending.nonce.reveal(), accessToken: tokens.accessToken))
  }
}
