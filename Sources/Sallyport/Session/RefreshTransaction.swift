import SallyportProtocol
import SallyportRemote

/// Requests a new access token for one target, once for all tasks and processes that share the tokens (rule C-30). The
/// target is the API that the token is for, or the session itself (``TokenTarget``).
///
/// The transaction holds a lease, which is an exclusive lock on the stored tokens, while it reads, requests, and stores
/// tokens. The next holder of the lease adopts the tokens that the previous holder stored, and doesn't send a refresh
/// token that the server has already replaced.
struct RefreshTransaction: Sendable {
  /// Why a new access token is needed.
  enum Reason: Sendable {
    /// The old token has expired or expires soon. If the server rejects the refresh, the old token is used while it is
    /// valid.
    case expiry
    /// The app asked for a new token. If the server rejects the refresh, the app's call fails, but the old token is
    /// kept while it is valid.
    case demand
    /// An API rejected the old token, even though it hasn't expired.
    case rejection
  }

  /// The result of a successful transaction.
  enum Outcome: Sendable {
    case refreshed(TokenSet)
    /// Another process, or another session of this process, has already refreshed the tokens.
    case adopted(TokenSet)
    /// The tokens were refreshed but could not be stored. This process can continue to use them.
    case unsaved(TokenSet, TokenStoreError)
    /// The server no longer refreshes the tokens. The session's own access token is still valid for a while.
    case lastToken(TokenSet, SignInRequirement)
    /// The server rejected the request for the target, but has refreshed the session's own access token.
    case targetRejected(TokenSet, OAuthErrorResponse)

    /// The tokens that the session now has.
    var tokenSet: TokenSet {
      switch self {
      case .refreshed(let tokenSet), .adopted(let tokenSet), .unsaved(let tokenSet, _), .lastToken(let tokenSet, _),
        .targetRejected(let tokenSet, _):
        tokenSet
      }
    }
  }

  let client: OAuthClient
  /// The tokens that the caller has.
  let observed: TokenSet
  let reason: Reason
  let target: TokenTarget
  /// How long a token must remain valid to be adopted.
  let minimumLifetime: Duration

  func run() async -> Result<Outcome, SessionError> {
    do throws(SessionError) {
      if let stored = try await self.load(), self.canAdopt(stored) { return .success(.adopted(stored)) }
      // Read the metadata before taking the lease. Other processes then don't have to wait for the metadata, and
      // normally no further request delays storing the token response.
      let endpoints = try await self.endpoints()
      if self.observed.claims != nil { await endpoints.prefetchKeys() }
      return .success(
        try await self.client.tokenSets.withLease { () throws(SessionError) in try await self.runWithLease(endpoints) })
    } catch {
      return .failure(error)
    }
  }

  /// Adopts what another process has stored, without a request and without the lease. A read-only session calls this
  /// instead of ``run()``. The result is a failure if there is nothing to adopt.
  func adopt() async -> Result<Outcome, SessionError> {
    do throws(SessionError) {
      guard let stored = try await self.load() else { throw .signInRequired(.signedOut) }
      if self.canAdopt(stored, minimumLifetime: .zero) { return .success(.adopted(stored)) }
      let isOver = stored.refreshToken == nil && !stored.isValid(at: self.client.now())
      throw isOver ? .signInRequired(stored.requirement) : .readOnly
    } catch {
      return .failure(error)
    }
  }

  private func endpoints() async throws(SessionError) -> ProviderEndpoints {
    do {
      return try await self.client.provider.endpoints()
    } catch {
      throw SessionError(error)
    }
  }

  /// Refreshes the tokens, unless another process has done so. The caller holds the lease.
  private func runWithLease(_ endpoints: ProviderEndpoints) async throws(SessionError) -> Outcome {
    guard let stored = try await self.load() else {
      // With an error response, the server ended the session. Without one, the user signed out.
      throw .signInRequired(self.observed.errorResponse == nil ? .signedOut : self.observed.requirement)
    }
    if self.canAdopt(stored) { return .adopted(stored) }
    // If this process could not store the tokens of its last refresh, these tokens are newer than the stored ones.
    let tokenSet = self.observed.supersedes(stored) && self.observed.id == stored.id ? self.observed : stored
    switch try await self.renew(tokenSet, endpoints) {
    case .done(let outcome): return outcome
    case .rejected(let errorResponse): return try await self.handleRejection(of: tokenSet, errorResponse, endpoints)
    }
  }

  /// Whether the stored tokens include a new and valid token for the target. They don't if another process has only
  /// refreshed the token of a different target.
  private func canAdopt(_ stored: TokenSet, minimumLifetime: Duration? = nil) -> Bool {
    guard stored.supersedes(self.observed), let token = stored.token(for: self.target.key) else { return false }
    return token.value != self.observed.token(for: self.target.key)?.value
      && token.isValid(for: minimumLifetime ?? self.minimumLifetime, at: self.client.now())
  }

  /// The result of a refresh request.
  private enum Renewal {
    case done(Outcome)
    /// The server permanently rejected the refresh token (`invalid_grant`, or a code with the same meaning).
    case rejected(OAuthErrorResponse)
  }

  private func renew(_ tokenSet: TokenSet, _ endpoints: ProviderEndpoints) async throws(SessionError) -> Renewal {
    guard let refreshToken = tokenSet.refreshToken else { return .done(try await self.end(tokenSet, tokenSet.requirement)) }
    // Restore the key before recording the request, because no refresh request is sent if the key is missing.
    let binding = try self.binding(of: tokenSet)
    let markedTokenSet = await self.marked(tokenSet)
    let requestedAt = self.client.now()
    let response: TokenResponse
    do {
      response = try await self.request(refreshToken, tokenSet, binding, at: endpoints.token)
    } catch {
      switch error {
      case .refused(let errorResponse) where errorResponse.code.kind == .endsSession: return .rejected(errorResponse)
      // The server rejected the request, or the request could not be sent. In both cases, nothing has been renewed, so
      // the tokens are stored without the marker of this request (`responseUnknownSince`). The marker of an earlier
      // request without a response is kept.
      case .refused, .key, .clientSecret: if tokenSet.responseUnknownSince == nil { try await self.save(tokenSet) }
      case .network, .unavailable, .invalid: break
      }
      if case .refused(let errorResponse) = error, errorResponse.code.kind == .needsUser {
        throw .signInRequired(.interactionRequired(errorResponse))
      }
      throw SessionError(error)
    }
    let claims = try await self.claims(of: response, previous: tokenSet.claims, endpoints)
    let renewed = markedTokenSet.renewed(by: response, claims: claims, requestedAt: requestedAt, for: self.target)
    do {
      try await self.client.tokenSets.save(renewed)
      return .done(.refreshed(renewed))
    } catch {
      return .done(.unsaved(renewed, error))
    }
  }

  private func request(
    _ refreshToken: Secret<String>, _ tokenSet: TokenSet, _ binding: DPoPBinding?, at endpoint: TokenEndpoint
  ) async throws(TokenRequestError) -> TokenResponse {
    let (resources, parameters) = (tokenSet.resources(for: self.target), self.target.parameters)
    do {
      return try await endpoint.refresh(
        refreshToken, scope: tokenSet.requestedScope(for: self.target), resources: resources, parameters: parameters,
        binding: binding)
    } catch {
      // Some servers reject the scope that they granted earlier, for example because the last refresh has narrowed it.
      // Without a scope, the refresh can still succeed.
      guard self.target.key.isOwn, tokenSet.hasUsedTargets, case .refused(let errorResponse) = error,
        errorResponse.code == .invalidScope
      else { throw error }
      return try await endpoint.refresh(refreshToken, resources: resources, parameters: parameters, binding: binding)
    }
  }

  private func load() async throws(SessionError) -> TokenSet? {
    do {
      return try await self.client.tokenSets.load()
    } catch {
      throw .store(error)
    }
  }

  private func save(_ tokenSet: TokenSet) async throws(SessionError) {
    do {
      try await self.client.tokenSets.save(tokenSet)
    } catch {
      throw .store(error)
    }
  }

  /// Records that a refresh request is about to be sent, so that after a crash the next process knows about it.
  private func marked(_ tokenSet: TokenSet) async -> TokenSet {
    guard tokenSet.responseUnknownSince == nil else { return tokenSet }
    var markedTokenSet = tokenSet
    markedTokenSet.responseUnknownSince = self.client.now()
    // Errors are ignored here. If the store still fails later, saving the new tokens reports the error.
    try? await self.client.tokenSets.save(markedTokenSet)
    return markedTokenSet
  }

  private func binding(of tokenSet: TokenSet) throws(SessionError) -> DPoPBinding? {
    do {
      return try self.client.binding(tokenSet.dpopKey)
    } catch {
      throw error == .damaged ? .signInRequired(.keyLost) : .dpopKey(error)
    }
  }

  /// The claims of a refreshed ID token. `nil` if the session had no ID token, or if there are no new claims.
  private func claims(
    of response: TokenResponse, previous: IDTokenClaims?, _ endpoints: ProviderEndpoints
  ) async throws(SessionError) -> IDTokenClaims? {
    guard let previous else { return nil }
    do {
      return try await endpoints.claims(ofRefreshed: response, previous: previous)
    } catch {
      throw .idToken(error)
    }
  }

  /// Handles a rejected refresh token. Normally, the lease keeps other processes from storing tokens in the meantime.
  /// If the stored tokens are newer anyway, they are adopted, or refreshed once. Otherwise the session ends, unless its
  /// access token is still usable.
  private func handleRejection(
    of tokenSet: TokenSet, _ errorResponse: OAuthErrorResponse, _ endpoints: ProviderEndpoints
  ) async throws(SessionError) -> Outcome {
    guard let stored = try await self.load() else { throw .signInRequired(.signedOut) }
    guard stored.supersedes(tokenSet) else { return try await self.endAfterRejection(tokenSet, errorResponse, endpoints) }
    if self.canAdopt(stored) { return .adopted(stored) }
    switch try await self.renew(stored, endpoints) {
    case .done(let outcome): return outcome
    case .rejected(let errorResponse): return try await self.endAfterRejection(stored, errorResponse, endpoints)
    }
  }

  /// Ends the session after the server rejected its refresh token.
  ///
  /// If the refresh was for another target, the server may also have returned `invalid_grant` because the user hasn't
  /// consented to that target. In this case, the session ends only if its own access token cannot be refreshed either.
  private func endAfterRejection(
    _ tokenSet: TokenSet, _ errorResponse: OAuthErrorResponse, _ endpoints: ProviderEndpoints
  ) async throws(SessionError) -> Outcome {
    guard !self.target.key.isOwn else { return try await self.end(tokenSet, tokenSet.requirement(after: errorResponse)) }
    let own = RefreshTransaction(
      client: self.client, observed: self.observed, reason: .demand, target: .own, minimumLifetime: self.minimumLifetime)
    switch try await own.renew(tokenSet, endpoints) {
    case .done(.refreshed(let renewed)): return .targetRejected(renewed, errorResponse)
    case .done(let outcome): return outcome
    case .rejected(let errorResponse): return try await own.end(tokenSet, tokenSet.requirement(after: errorResponse))
    }
  }

  /// Ends the session, unless its own access token is still usable: an early refresh that fails must not discard a
  /// valid token.
  private func end(_ tokenSet: TokenSet, _ requirement: SignInRequirement) async throws(SessionError) -> Outcome {
    // If an API has rejected the session's own access token, and the server has now rejected the refresh token, the
    // access token is not usable, even if it has not expired.
    let isUsable = self.reason != .rejection || !self.target.key.isOwn || tokenSet.refreshToken == nil
    guard isUsable, tokenSet.isValid(at: self.client.now()) else {
      do {
        try await self.client.tokenSets.remove()
      } catch {
        throw .store(error)
      }
      throw .signInRequired(requirement)
    }
    var last = tokenSet
    last.refreshToken = nil
    switch requirement {
    case .refused(let errorResponse), .refusedAfterLostResponse(let errorResponse): last.errorResponse = errorResponse
    default: break
    }
    if tokenSet.refreshToken != nil { try await self.save(last) }
    return .lastToken(last, requirement)
  }
}
