import SallyportProtocol
import SallyportRemote

/// A stored sign-in while the user is in the browser, and the ways it can end.
struct SignInAttempt: Sendable {
  let client: OAuthClient
  let pending: PendingSignIn
  /// The languages that the app prefers for the page that the browser shows at the end, or an empty array in a sign-in
  /// that is resumed later.
  var uiLocales: [String] = []

  /// Reserves the redirect URI for this issuer (RFC 8252 §8.10) and stores the sign-in. Called before the browser
  /// opens.
  func begin() async throws {
    try await self.client.redirectReservations.reserve(for: self.pending)
    do {
      try await self.client.pendingSignIns.add(self.pending)
    } catch {
      await self.client.redirectReservations.end(self.pending)
      throw error
    }
  }

  /// Runs `body`, and then ends the sign-in's reservation of the redirect URI. If `body` throws, the stored sign-in
  /// ends too.
  func run<R: Sendable>(_ body: () async throws -> R) async throws -> R {
    do {
      let result = try await body()
      await self.client.redirectReservations.end(self.pending)
      return result
    } catch {
      // This has no effect if the stored sign-in has already ended, for example with a response.
      let end = SignInError(any: error) == .timedOut ? PendingSignIns.End.expired : .cancelled
      // Runs in a separate task, because the sign-in's task may be canceled.
      await Task { [client, pending] in
        _ = try? await client.pendingSignIns.end(pending, as: end)
        await client.redirectReservations.end(pending)
      }.value
      throw error
    }
  }

  /// Waits for the response. The limit covers only the time that the user takes. The code exchange uses the transport's
  /// limits.
  func response(on bound: BoundRedirect, within limit: Duration) async throws -> ReceivedRedirect {
    try await bound.response(within: limit) { [pending] in
      AuthorizationResponse.isResponse($0, to: pending)
    }
  }

  /// Exchanges the code and shows the outcome to the user (rule C-27).
  func finish(_ receivedRedirect: ReceivedRedirect, _ endpoints: ProviderEndpoints) async throws -> TokenSet {
    let replaced: TokenSet?
    let tokenSet: TokenSet
    do {
      (tokenSet, replaced) = try await self.tokenSet(for: receivedRedirect.callbackURL, endpoints)
      await receivedRedirect.finish(.signedIn(appName: self.client.appName), uiLocales: self.uiLocales)
    } catch {
      let error = SignInError(any: error)
      if case .denied = error {
        await receivedRedirect.finish(.denied, uiLocales: self.uiLocales)
      } else {
        await receivedRedirect.finish(.failed, uiLocales: self.uiLocales)
      }
      throw error
    }
    if self.pending.revokesReplaced { await self.client.provider.revoke(replaced, replacedBy: tokenSet) }
    return tokenSet
  }

  /// Validates the response, exchanges its code, and stores the tokens.
  /// - Returns: The new tokens, and the stored tokens of an earlier sign-in that they replaced.
  private func tokenSet(
    for callbackURL: Secret<String>, _ endpoints: ProviderEndpoints
  ) async throws -> (new: TokenSet, replaced: TokenSet?) {
    // Only one process can end the sign-in, and only that process uses the response.
    if let earlierEnd = try await self.client.pendingSignIns.end(self.pending, as: .responded) { throw earlierEnd.error }
    let response = try AuthorizationResponse.validate(
      callbackURL: callbackURL, pending: self.pending, metadata: endpoints.metadata)
    let requestedAt = self.client.now()
    let tokens = try await endpoints.token.exchange(response, binding: self.client.binding(self.pending.details.dpopKey))
    let acceptance = TokenAcceptance(
      client: self.client, endpoints: endpoints, scope: self.pending.scope, details: self.pending.details,
      nonce: self.pending.nonce)
    return try await acceptance.store(tokens, requestedAt: requestedAt)
  }
}
