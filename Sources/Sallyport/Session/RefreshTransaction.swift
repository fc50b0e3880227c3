import SallyportProtocol
import SallyportRemote

/// Renews a grant once for all who hold it, in this and in other processes (rule C-30).
///
/// A lease on the stored grant covers reading, requesting and persisting. Whoever comes second finds the first one's result and
/// adopts it, so that a rotating refresh token is never sent twice.
struct RefreshTransaction: Sendable {
  /// Why a new token is wanted.
  enum Reason: Sendable {
    /// The old one is used up, or nearly; while it is valid, a refusal does not throw it away.
    case expiry
    /// A new one is wanted whatever the old one is worth; a refusal does not throw that away either.
    case demand
    /// An API did not take the old one, whatever its life time says.
    case rejection
  }

  enum Outcome: Sendable {
    case refreshed(Grant)
    /// Another process was first.
    case adopted(Grant)
    /// The server gave tokens that could not be stored; this process can go on with them.
    case unsaved(Grant, TokenStoreError)
    /// The server will not renew any more; the access token is still good for a while.
    case lastToken(Grant, SignInRequirement)
  }

  let client: OAuthClient
  /// What the caller holds.
  let observed: Grant
  let reason: Reason
  /// How long a token must live to be worth adopting.
  let minimumLifetime: Duration

  func run() async -> Result<Outcome, SessionError> {
    do {
      if let stored = try await self.client.grants.load(), self.canAdopt(stored) { return .success(.adopted(stored)) }
      // Read before the lease is taken, so that nobody waits for it, and so that nothing stands between answer and store.
      let endpoints = try await self.client.provider.endpoints()
      if self.observed.claims != nil { await endpoints.prefetchKeys() }
      return .success(try await self.client.grants.withLease { try await self.underLease(endpoints) })
    } catch {
      return .failure(SessionError(any: error))
    }
  }

  private func underLease(_ endpoints: ProviderEndpoints) async throws -> Outcome {
    guard let stored = try await self.client.grants.load() else {
      throw SessionError.signInRequired(self.observed.refusal == nil ? .signedOut : self.observed.requirement)
    }
    if self.canAdopt(stored) { return .adopted(stored) }
    // What this process could not store is newer than what is there.
    let grant = self.observed.supersedes(stored) && self.observed.id == stored.id ? self.observed : stored
    do {
      return try await self.renew(grant, endpoints)
    } catch TokenRequestError.refused(let refusal) where refusal.code == .invalidGrant {
      return try await self.refused(grant, refusal, endpoints)
    } catch let error as TokenRequestError {
      // An answer, though not the one that was hoped for: the server has renewed nothing.
      if case .refused = error, grant.unansweredSince == nil { try await self.client.grants.save(grant) }
      throw error
    }
  }

  private func canAdopt(_ stored: Grant) -> Bool {
    stored.supersedes(self.observed) && stored.isValid(for: self.minimumLifetime, at: self.client.now())
  }

  private func renew(_ grant: Grant, _ endpoints: ProviderEndpoints) async throws -> Outcome {
    guard let refreshToken = grant.refreshToken else { return try await self.end(grant, grant.requirement) }
    // Before the mark, since a key that is gone makes no request.
    let binding = try self.binding(of: grant)
    let grant = await self.marked(grant)
    let requestedAt = self.client.now()
    let response = try await endpoints.token.refresh(refreshToken, resources: grant.resources, binding: binding)
    let claims = try await self.claims(of: response, previous: grant.claims, endpoints)
    let renewed = grant.renewed(by: response, claims: claims, requestedAt: requestedAt)
    do {
      try await self.client.grants.save(renewed)
      return .refreshed(renewed)
    } catch {
      return .unsaved(renewed, error)
    }
  }

  /// Notes that a request is on its way before it is, so that a process that comes after a crash knows of it.
  private func marked(_ grant: Grant) async -> Grant {
    guard grant.unansweredSince == nil else { return grant }
    var marked = grant
    marked.unansweredSince = self.client.now()
    // A store that keeps nothing now is told when the tokens are there to be kept.
    try? await self.client.grants.save(marked)
    return marked
  }

  private func binding(of grant: Grant) throws -> DPoPBinding? {
    do {
      return try self.client.binding(grant.dpopKey)
    } catch .damaged {
      throw SessionError.signInRequired(.keyLost)
    }
  }

  /// Rule C-33. Where the keys cannot be read the token counts as not sent: the tokens beside it must not be lost with it.
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

  /// `invalid_grant` ends a session only if what the store holds now is what the server refused.
  private func refused(
    _ grant: Grant, _ refusal: ServerRefusal, _ endpoints: ProviderEndpoints
  ) async throws -> Outcome {
    guard let stored = try await self.client.grants.load() else { throw SessionError.signInRequired(.signedOut) }
    guard stored.supersedes(grant) else { return try await self.end(grant, grant.requirement(after: refusal)) }
    if self.canAdopt(stored) { return .adopted(stored) }
    do {
      return try await self.renew(stored, endpoints)
    } catch TokenRequestError.refused(let refusal) where refusal.code == .invalidGrant {
      return try await self.end(stored, stored.requirement(after: refusal))
    }
  }

  /// Ends the grant, unless its access token still serves: who asked early must not lose it to a refusal.
  private func end(_ grant: Grant, _ requirement: SignInRequirement) async throws -> Outcome {
    let serves = self.reason != .rejection || grant.refreshToken == nil
    guard serves, grant.isValid(at: self.client.now()) else {
      try await self.client.grants.remove()
      throw SessionError.signInRequired(requirement)
    }
    var last = grant
    last.refreshToken = nil
    switch requirement {
    case .refused(let refusal), .refusedAfterLostReply(let refusal): last.refusal = refusal
    default: break
    }
    if grant.refreshToken != nil { try await self.client.grants.save(last) }
    return .lastToken(last, requirement)
  }
}
