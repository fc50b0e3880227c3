import SallyportProtocol
import SallyportRemote

/// Refreshes the tokens once for all tasks and processes that share them (rule C-30).
///
/// A lease on the stored tokens covers reading, requesting, and storing. The second holder of the lease adopts the first
/// one's result, so that a rotating refresh token is never sent twice.
struct RefreshTransaction: Sendable {
  /// Why a new access token is needed.
  enum Reason: Sendable {
    /// The old token has expired or expires soon. If the server rejects the refresh, the old token is used while it is
    /// valid.
    case expiry
    /// The app asked for a new token. If the server rejects the refresh, the old token is kept while it is valid.
    case demand
    /// An API rejected the old token, even though it hasn't expired.
    case rejection
  }

  enum Outcome: Sendable {
    case refreshed(TokenSet)
    /// Another process has already refreshed the tokens.
    case adopted(TokenSet)
    /// The tokens were refreshed but could not be stored. This process can continue to use them.
    case unsaved(TokenSet, TokenStoreError)
    /// The server no longer refreshes the tokens. The access token is still valid for a while.
    case lastToken(TokenSet, SignInRequirement)
  }

  let client: OAuthClient
  /// The tokens that the caller has.
  let observed: TokenSet
  let reason: Reason
  /// How long a token must remain valid to be adopted.
  let minimumLifetime: Duration

  func run() async -> Result<Outcome, SessionError> {
    do throws(SessionError) {
      if let stored = try await self.load(), self.canAdopt(stored) { return .success(.adopted(stored)) }
      // Read the metadata before taking the lease, so that no one waits for it under the lease and no other request
      // delays storing the response.
      let endpoints = try await self.endpoints()
      if self.observed.claims != nil { await endpoints.prefetchKeys() }
      return .success(
        try await self.client.tokenSets.withLease { () throws(SessionError) in try await self.underLease(endpoints) })
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

  private func underLease(_ endpoints: ProviderEndpoints) async throws(SessionError) -> Outcome {
    guard let stored = try await self.load() else {
      throw .signInRequired(self.observed.errorResponse == nil ? .signedOut : self.observed.requirement)
    }
    if self.canAdopt(stored) { return .adopted(stored) }
    // Tokens that this process could not store are newer than the stored ones.
    let tokenSet = self.observed.supersedes(stored) && self.observed.id == stored.id ? self.observed : stored
    switch try await self.renew(tokenSet, endpoints) {
    case .done(let outcome): return outcome
    case .rejected(let errorResponse): return try await self.rejected(tokenSet, errorResponse, endpoints)
    }
  }

  private func canAdopt(_ stored: TokenSet) -> Bool {
    stored.supersedes(self.observed) && stored.isValid(for: self.minimumLifetime, at: self.client.now())
  }

  /// The result of a refresh request.
  private enum Renewal {
    case done(Outcome)
    /// The server permanently rejected the refresh token (`invalid_grant`, or a code with the same meaning).
    case rejected(OAuthErrorResponse)
  }

  private func renew(_ tokenSet: TokenSet, _ endpoints: ProviderEndpoints) async throws(SessionError) -> Renewal {
    guard let refreshToken = tokenSet.refreshToken else { return .done(try await self.end(tokenSet, tokenSet.requirement)) }
    // Restore the key before recording the request, because no request is sent if the key is missing.
    let binding = try self.binding(of: tokenSet)
    let marked = await self.marked(tokenSet)
    let requestedAt = self.client.now()
    let response: TokenResponse
    do {
      response = try await endpoints.token.refresh(refreshToken, resources: tokenSet.resources, binding: binding)
    } catch {
      if case .refused(let errorResponse) = error {
        if errorResponse.code.kind == .endsSession { return .rejected(errorResponse) }
        // The server responded with an error, so it has not renewed anything.
        if tokenSet.unansweredSince == nil { try await self.save(tokenSet) }
        if errorResponse.code.kind == .needsUser { throw .signInRequired(.interactionRequired(errorResponse)) }
      }
      throw SessionError(error)
    }
    let claims = try await self.claims(of: response, previous: tokenSet.claims, endpoints)
    let renewed = marked.renewed(by: response, claims: claims, requestedAt: requestedAt)
    do {
      try await self.client.tokenSets.save(renewed)
      return .done(.refreshed(renewed))
    } catch {
      return .done(.unsaved(renewed, error))
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
    guard tokenSet.unansweredSince == nil else { return tokenSet }
    var marked = tokenSet
    marked.unansweredSince = self.client.now()
    // Errors are ignored here. If the store still fails later, saving the new tokens reports the error.
    try? await self.client.tokenSets.save(marked)
    return marked
  }

  private func binding(of tokenSet: TokenSet) throws(SessionError) -> DPoPBinding? {
    do {
      return try self.client.binding(tokenSet.dpopKey)
    } catch {
      throw error == .damaged ? .signInRequired(.keyLost) : .dpopKey(error)
    }
  }

  /// Verifies a refreshed ID token (rule C-33). If the keys cannot be read, the ID token is ignored, so that the other
  /// tokens are not lost.
  private func claims(
    of response: TokenResponse, previous: IDTokenClaims?, _ endpoints: ProviderEndpoints
  ) async throws(SessionError) -> IDTokenClaims? {
    guard let idToken = response.idToken, let previous else { return nil }
    var expectations = IDTokenExpectations(nonce: nil, accessToken: response.accessToken, previous: previous)
    expectations.serverTime = response.date
    do {
      return try await endpoints.verify(idToken, expecting: expectations)
    } catch {
      if case .key(.document) = error { return nil }
      throw .idToken(error)
    }
  }

  /// Handles a rejected refresh token, which ends the session only if it is the one that is stored now.
  private func rejected(
    _ tokenSet: TokenSet, _ errorResponse: OAuthErrorResponse, _ endpoints: ProviderEndpoints
  ) async throws(SessionError) -> Outcome {
    guard let stored = try await self.load() else { throw .signInRequired(.signedOut) }
    guard stored.supersedes(tokenSet) else { return try await self.end(tokenSet, tokenSet.requirement(after: errorResponse)) }
    if self.canAdopt(stored) { return .adopted(stored) }
    switch try await self.renew(stored, endpoints) {
    case .done(let outcome): return outcome
    case .rejected(let errorResponse): return try await self.end(stored, stored.requirement(after: errorResponse))
    }
  }

  /// Ends the session, unless its access token is still usable: an early refresh that fails must not discard a valid
  /// token.
  private func end(_ tokenSet: TokenSet, _ requirement: SignInRequirement) async throws(SessionError) -> Outcome {
    let isUsable = self.reason != .rejection || tokenSet.refreshToken == nil
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
