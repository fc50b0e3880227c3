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
    do {
      if let stored = try await self.client.tokenSets.load(), self.canAdopt(stored) { return .success(.adopted(stored)) }
      // Read before taking the lease, so that no one waits for it, and no request delays storing the response.
      let endpoints = try await self.client.provider.endpoints()
      if self.observed.claims != nil { await endpoints.prefetchKeys() }
      return .success(try await self.client.tokenSets.withLease { try await self.underLease(endpoints) })
    } catch {
      return .failure(SessionError(any: error))
    }
  }

  private func underLease(_ endpoints: ProviderEndpoints) async throws -> Outcome {
    guard let stored = try await self.client.tokenSets.load() else {
      throw SessionError.signInRequired(self.observed.refusal == nil ? .signedOut : self.observed.requirement)
    }
    if self.canAdopt(stored) { return .adopted(stored) }
    // Tokens that this process could not store are newer than the stored ones.
    let tokenSet = self.observed.supersedes(stored) && self.observed.id == stored.id ? self.observed : stored
    do {
      return try await self.renew(tokenSet, endpoints)
    } catch TokenRequestError.refused(let refusal) where refusal.code == .invalidGrant {
      return try await self.refused(tokenSet, refusal, endpoints)
    } catch let error as TokenRequestError {
      // The server responded with an error, so it has not renewed anything.
      if case .refused = error, tokenSet.unansweredSince == nil { try await self.client.tokenSets.save(tokenSet) }
      throw error
    }
  }

  private func canAdopt(_ stored: TokenSet) -> Bool {
    stored.supersedes(self.observed) && stored.isValid(for: self.minimumLifetime, at: self.client.now())
  }

  private func renew(_ tokenSet: TokenSet, _ endpoints: ProviderEndpoints) async throws -> Outcome {
    guard let refreshToken = tokenSet.refreshToken else { return try await self.end(tokenSet, tokenSet.requirement) }
    // Before recording the request, because no request is sent if the key is missing.
    let binding = try self.binding(of: tokenSet)
    let tokenSet = await self.marked(tokenSet)
    let requestedAt = self.client.now()
    let response = try await endpoints.token.refresh(refreshToken, resources: tokenSet.resources, binding: binding)
    let claims = try await self.claims(of: response, previous: tokenSet.claims, endpoints)
    let renewed = tokenSet.renewed(by: response, claims: claims, requestedAt: requestedAt)
    do {
      try await self.client.tokenSets.save(renewed)
      return .refreshed(renewed)
    } catch {
      return .unsaved(renewed, error)
    }
  }

  /// Records that a refresh request is about to be sent, so that after a crash the next process knows about it.
  private func marked(_ tokenSet: TokenSet) async -> TokenSet {
    guard tokenSet.unansweredSince == nil else { return tokenSet }
    var marked = tokenSet
    marked.unansweredSince = self.client.now()
    // Errors are ignored here. If the store still fails later, the caller learns it when the new tokens are saved.
    try? await self.client.tokenSets.save(marked)
    return marked
  }

  private func binding(of tokenSet: TokenSet) throws -> DPoPBinding? {
    do {
      return try self.client.binding(tokenSet.dpopKey)
    } catch .damaged {
      throw SessionError.signInRequired(.keyLost)
    }
  }

  /// Verifies a refreshed ID token (rule C-33). If the keys cannot be read, the ID token is ignored, so that the other
  /// tokens are not lost.
  private func claims(
    of response: TokenResponse, previous: IDTokenClaims?, _ endpoints: ProviderEndpoints
  ) async throws(IDTokenError) -> IDTokenClaims? {
    guard let idToken = response.idToken, let previous else { return nil }
    let expectations = IDTokenExpectations(nonce: nil, accessToken: response.accessToken, previous: previous)
    do {
      return try await endpoints.verify(idToken, expecting: expectations)
    } catch .key(.document) {
      return nil
    }
  }

  /// Handles `invalid_grant`, which ends the session only if the server rejected the tokens that are stored now.
  private func refused(
    _ tokenSet: TokenSet, _ refusal: OAuthErrorResponse, _ endpoints: ProviderEndpoints
  ) async throws -> Outcome {
    guard let stored = try await self.client.tokenSets.load() else { throw SessionError.signInRequired(.signedOut) }
    guard stored.supersedes(tokenSet) else { return try await self.end(tokenSet, tokenSet.requirement(after: refusal)) }
    if self.canAdopt(stored) { return .adopted(stored) }
    do {
      return try await self.renew(stored, endpoints)
    } catch TokenRequestError.refused(let refusal) where refusal.code == .invalidGrant {
      return try await self.end(stored, stored.requirement(after: refusal))
    }
  }

  /// Ends the session, unless its access token is still usable: an early refresh that fails must not discard a valid
  /// token.
  private func end(_ tokenSet: TokenSet, _ requirement: SignInRequirement) async throws -> Outcome {
    let serves = self.reason != .rejection || tokenSet.refreshToken == nil
    guard serves, tokenSet.isValid(at: self.client.now()) else {
      try await self.client.tokenSets.remove()
      throw SessionError.signInRequired(requirement)
    }
    var last = tokenSet
    last.refreshToken = nil
    switch requirement {
    case .refused(let refusal), .refusedAfterLostReply(let refusal): last.refusal = refusal
    default: break
    }
    if tokenSet.refreshToken != nil { try await self.client.tokenSets.save(last) }
    return .lastToken(last, requirement)
  }
}
