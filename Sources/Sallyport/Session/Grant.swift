package import SallyportProtocol

/// What a sign-in brought: the tokens, and what is known of the person.
package struct Grant: Sendable {
  /// Random; the same for all refreshed forms of one sign-in.
  package let id: String
  /// Counts the refreshes, so that of two forms the newer is known.
  package var generation: Int
  package let issuer: Issuer
  package let clientID: String
  package var scope: Scope
  package var accessToken: Secret<String>
  /// By this machine's clock.
  package var obtainedAt: Timestamp
  /// Nil where the server did not say.
  package var expiresAt: Timestamp?
  package var refreshToken: Secret<String>?
  /// Since when it is not known whether the server has renewed this grant: a request that got no answer.
  package var unansweredSince: Timestamp?
  /// Why the server does not renew it any more, while its last access token is still good.
  package var refusal: ServerRefusal?
  /// Of the verified ID token; nil where none was asked for.
  package var claims: IDTokenClaims?
  /// That ID token itself, where a sign-out at the server will want it as a hint.
  package var idToken: Secret<String>?
  package var tokenType = TokenType.bearer
  /// ``DPoPKey/storedForm`` of the key that the tokens are bound to.
  package var dpopKey: Secret<[UInt8]>?
  /// The APIs that the tokens are for, where the sign-in named any.
  package var resources: [ResourceIndicator] = []

  /// The grant of a sign-in.
  /// - Parameters:
  ///   - terms: what was asked for beside the scope.
  ///   - requestedAt: the time before the request, so that the network's time is not added to a token's life.
  package init(
    issuer: Issuer, clientID: String, requestedScope: Scope, terms: SignInTerms = SignInTerms(), response: TokenResponse,
    claims: IDTokenClaims?, requestedAt: Timestamp
  ) {
    self.id = RandomText.base64URL(bits: 128)
    self.generation = 0
    self.issuer = issuer
    self.clientID = clientID
    self.scope = response.grantedScope ?? requestedScope
    self.accessToken = response.accessToken
    self.obtainedAt = requestedAt
    self.expiresAt = response.expiresIn.map { requestedAt + .seconds($0) }
    self.refreshToken = response.refreshToken
    self.claims = claims
    self.tokenType = response.type ?? .bearer
    self.dpopKey = terms.dpopKey
    self.resources = terms.resources
  }

  /// A grant as it was stored.
  init(
    id: String, generation: Int, issuer: Issuer, clientID: String, scope: Scope, accessToken: Secret<String>,
    obtainedAt: Timestamp, expiresAt: Timestamp?, refreshToken: Secret<String>?, claims: IDTokenClaims?
  ) {
    self.id = id
    self.generation = generation
    self.issuer = issuer
    self.clientID = clientID
    self.scope = scope
    self.accessToken = accessToken
    self.obtainedAt = obtainedAt
    self.expiresAt = expiresAt
    self.refreshToken = refreshToken
    self.claims = claims
  }

  /// This grant after a refresh, RFC 6749 §6: what the answer leaves out stays as it was.
  package func renewed(by response: TokenResponse, claims: IDTokenClaims?, requestedAt: Timestamp) -> Grant {
    var grant = self
    grant.generation += 1
    grant.scope = response.grantedScope ?? self.scope
    grant.accessToken = response.accessToken
    grant.obtainedAt = requestedAt
    grant.expiresAt = response.expiresIn.map { requestedAt + .seconds($0) }
    grant.refreshToken = response.refreshToken ?? self.refreshToken
    grant.unansweredSince = nil
    grant.refusal = nil
    grant.claims = claims ?? self.claims
    grant.tokenType = response.type ?? .bearer
    // Only one that was verified takes the place of the one before.
    if claims != nil, self.idToken != nil { grant.idToken = response.idToken }
    return grant
  }

  /// Whether the access token lives at least that long from `now` on.
  ///
  /// Where the server never issues one that lives so long, half of its life time is enough: otherwise each use would refresh.
  package func isValid(for minimum: Duration = .zero, at now: Timestamp) -> Bool {
    guard let expiresAt = self.expiresAt else { return true }
    let lifetime = expiresAt - self.obtainedAt
    return expiresAt - now > (lifetime > minimum ? minimum : lifetime / 2)
  }

  /// The origins that the tokens may go to (rule C-34): those of the APIs that the sign-in named, which the server issued them for
  /// (RFC 8707 §2).
  /// - Parameter others: stand in where the sign-in named none, or none that is a URL.
  func origins(otherwise others: Set<Origin>) -> Set<Origin> {
    let named = Set(self.resources.compactMap { try? EndpointURL($0.value) }.map(Origin.init))
    return named.isEmpty ? others : named
  }

  /// Why the person has to sign in again, once the access token is used up.
  var requirement: SignInRequirement {
    self.refusal.map(self.requirement(after:)) ?? .noRefreshToken
  }

  /// What it means that the server refused the refresh token.
  func requirement(after refusal: ServerRefusal) -> SignInRequirement {
    self.unansweredSince == nil ? .refused(refusal) : .refusedAfterLostReply(refusal)
  }

  /// Whether this is the newer form of the same sign-in, or of another one that took its place.
  package func supersedes(_ other: Grant) -> Bool {
    self.id != other.id || self.generation > other.generation
  }
}

extension TokenResponse {
  /// The scope that the server told; an empty one counts as not told.
  fileprivate var grantedScope: Scope? {
    self.scope.flatMap { $0.isEmpty ? nil : $0 }
  }
}
