import SallyportProtocol
import SallyportRemote

/// A sign-in that rests in the store while the person is in the browser, and what can become of it.
struct SignInAttempt: Sendable {
  let client: OAuthClient
  let pending: PendingSignIn

  /// Claims the redirect URI for this issuer (RFC 8252 §8.10) and stores the sign-in, before the browser opens.
  func begin() async throws {
    try await self.client.redirectClaims.claim(for: self.pending)
    do {
      try await self.client.pendingSignIns.add(self.pending)
    } catch {
      await self.client.redirectClaims.end(self.pending)
      throw error
    }
  }

  /// Runs `body`; whatever ends it ends the stored sign-in too.
  func orEnd<R: Sendable>(_ body: () async throws -> R) async throws -> R {
    do {
      let result = try await body()
      await self.client.redirectClaims.end(self.pending)
      return result
    } catch {
      // One that was answered stays so.
      let end = SignInError(any: error) == .timedOut ? PendingSignIns.End.expired : .cancelled
      // Not cancelled with the sign-in, since it is the cancelled one that has to be ended.
      await Task { [client, pending] in
        _ = try? await client.pendingSignIns.end(pending, as: end)
        await client.redirectClaims.end(pending)
      }.value
      throw error
    }
  }

  /// Waits for the answer. Only the time that the person takes is limited; the exchange has the transport's own limits.
  func answer(on bound: BoundRedirect, within limit: Duration) async throws -> ReceivedRedirect {
    try await bound.response(within: limit) { [pending] in
      AuthorizationResponse.verdict(callbackURL: $0, pending: pending)
    }
  }

  /// Exchanges the code and tells the person how it went (rule C-27).
  func finish(_ received: ReceivedRedirect, _ endpoints: ProviderEndpoints) async throws -> Grant {
    let replaced: Grant?
    let grant: Grant
    do {
      (grant, replaced) = try await self.grant(for: received.callbackURL, endpoints)
      await received.finish(.signedIn(appName: self.client.appName))
    } catch {
      let error = SignInError(any: error)
      if case .denied = error {
        await received.finish(.denied)
      } else {
        await received.finish(.failed)
      }
      throw error
    }
    if self.pending.revokesReplaced { await endpoints.revoke(replaced, replacedBy: grant) }
    return grant
  }

  /// From the callback URL to the stored grant, and the one whose place it takes.
  private func grant(
    for callbackURL: Secret<String>, _ endpoints: ProviderEndpoints
  ) async throws -> (new: Grant, replaced: Grant?) {
    // Whoever is first in any process takes the answer.
    if try await self.client.pendingSignIns.end(self.pending, as: .answered) == .answered {
      throw AuthorizationResponseError.alreadyAnswered
    }
    let response = try AuthorizationResponse.validate(
      callbackURL: callbackURL, pending: self.pending, metadata: endpoints.metadata)
    let requestedAt = self.client.now()
    let tokens = try await endpoints.token.exchange(response, binding: self.client.binding(self.pending.terms.dpopKey))
    let acceptance = TokenAcceptance(
      client: self.client, endpoints: endpoints, scope: self.pending.scope, terms: self.pending.terms,
      nonce: self.pending.nonce)
    return try await acceptance.store(tokens, requestedAt: requestedAt)
  }
}
