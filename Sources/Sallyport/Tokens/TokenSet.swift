package import SallyportProtocol
package import SallyportRemote

/// The result of a sign-in: the tokens, and the claims about the user.
package struct TokenSet: Sendable {
  /// A random identifier that stays the same when the tokens are refreshed.
  package let id: String
  /// The number of refreshes, which shows which of two versions is newer.
  package var generation: Int
  package let issuer: Issuer
  package let clientID: String
  package var scope: Scope
  package var accessToken: Secret<String>
  /// When the tokens were requested, according to this machine's clock.
  package var obtainedAt: Timestamp
  /// When the access token expires, or `nil` if the server didn't provide a lifetime.
  package var expiresAt: Timestamp?
  package var refreshToken: Secret<String>?
  /// The time of a refresh request whose response is unknown, or `nil` if there is no such request.
  package var unansweredSince: Timestamp?
  /// The server's error response that ended the renewal, while the last access token is still valid.
  package var errorResponse: OAuthErrorResponse?
  /// The claims of the verified ID token, or `nil` if none was requested.
  package var claims: IDTokenClaims?
  /// The verified ID token itself, or `nil` if none was requested.
  package var idToken: Secret<String>?
  /// The members of the token responses that have no meaning for the client.
  package var additional: Secret<[String: JSONValue]> = Secret([:])
  package var tokenType = TokenType.bearer
  /// The ``DPoPKey/storedForm`` of the key that the tokens are bound to.
  package var dpopKey: Secret<[UInt8]>?
  /// The APIs that the tokens are for, if the sign-in named any.
  package var resources: [ResourceIndicator] = []

  /// Creates the token set of a new sign-in.
  /// - Parameters:
  ///   - terms: What the request asked for in addition to the scope.
  ///   - requestedAt: The time before the request, so that network latency doesn't extend the token's lifetime.
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
    self.idToken = claims == nil ? nil : response.idToken
    self.additional = response.additional
    self.tokenType = response.type ?? .bearer
    self.dpopKey = terms.dpopKey
    self.resources = terms.resources
  }

  /// Creates a token set from its stored form.
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

  /// Returns this token set after a refresh (RFC 6749 §6). Values that the response omits stay unchanged.
  package func renewed(by response: TokenResponse, claims: IDTokenClaims?, requestedAt: Timestamp) -> TokenSet {
    var tokenSet = self
    tokenSet.generation += 1
    tokenSet.scope = response.grantedScope ?? self.scope
    tokenSet.accessToken = response.accessToken
    tokenSet.obtainedAt = requestedAt
    tokenSet.expiresAt = response.expiresIn.map { requestedAt + .seconds($0) }
    tokenSet.refreshToken = response.refreshToken ?? self.refreshToken
    tokenSet.unansweredSince = nil
    tokenSet.errorResponse = nil
    tokenSet.claims = claims ?? self.claims
    tokenSet.tokenType = response.type ?? .bearer
    // Replace the ID token only with one that was verified.
    if claims != nil { tokenSet.idToken = response.idToken }
    tokenSet.additional = Secret(self.additional.reveal().merging(response.additional.reveal()) { _, new in new })
    return tokenSet
  }

  /// Whether the access token remains valid for at least the given time.
  ///
  /// If the token's total lifetime is no longer than `minimum`, the token counts as valid while more than half of its
  /// lifetime remains. Otherwise every use would cause a refresh.
  package func isValid(for minimum: Duration = .zero, at now: Timestamp) -> Bool {
    guard let expiresAt = self.expiresAt else { return true }
    let lifetime = expiresAt - self.obtainedAt
    return expiresAt - now > (lifetime > minimum ? minimum : lifetime / 2)
  }

  /// The origins that may receive the tokens (rule C-34): those of the APIs named at sign-in, for which the server
  /// issued the tokens (RFC 8707 §2).
  /// - Parameter others: The origins to use if the sign-in named no API that is a URL.
  func origins(otherwise others: Set<Origin>) -> Set<Origin> {
    let named = Set(self.resources.compactMap { try? EndpointURL($0.value) }.map(Origin.init))
    return named.isEmpty ? others : named
  }

  /// Why the user must sign in again after the access token expires.
  var requirement: SignInRequirement {
    self.errorResponse.map(self.requirement(after:)) ?? .noRefreshToken
  }

  /// Why the user must sign in again after the server rejected the refresh token.
  func requirement(after errorResponse: OAuthErrorResponse) -> SignInRequirement {
    self.unansweredSince == nil ? .refused(errorResponse) : .refusedAfterLostResponse(errorResponse)
  }

  /// Whether this is a newer version of the same sign-in, or belongs to another sign-in.
  package func supersedes(_ other: TokenSet) -> Bool {
    self.id != other.id || self.generation > other.generation
  }
}

extension TokenResponse {
  /// The granted scope, or `nil` if the response omits it or it is empty.
  fileprivate var grantedScope: Scope? {
    self.scope.flatMap { $0.isEmpty ? nil : $0 }
  }
}
