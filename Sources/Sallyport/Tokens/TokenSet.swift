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
  /// When the access token was requested, according to this machine's clock.
  package var obtainedAt: Timestamp
  /// When the access token expires, or `nil` if the server didn't provide a lifetime.
  package var expiresAt: Timestamp?
  package var refreshToken: Secret<String>?
  /// The time of a refresh request whose response is unknown, or `nil` if there is no such request.
  package var responseUnknownSince: Timestamp?
  /// The error response with which the server rejected the refresh token, or `nil` if it was not rejected. After a
  /// rejection, the session is kept until its last access token expires.
  package var errorResponse: OAuthErrorResponse?
  /// The claims of the verified ID token, or `nil` if there is none.
  package var claims: IDTokenClaims?
  /// The verified ID token itself, or `nil` if there is none.
  package var idToken: Secret<String>?
  /// The members of the token responses that RFC 6749 and OpenID Connect don't define. Responses with a token for
  /// another ``TokenTarget`` are not included.
  package var additional: Secret<[String: JSONValue]> = Secret([:])
  package var tokenType = TokenType.bearer
  /// The ``DPoPKey/storedForm`` of the sign-in's DPoP key, or `nil` if it has none. Even with a key, the server may
  /// issue bearer tokens; see ``tokenType``.
  package var dpopKey: Secret<[UInt8]>?
  /// The APIs that the tokens are for, if the sign-in named any.
  package var resources: [ResourceIndicator] = []
  /// The access tokens for other APIs or scopes (``TokenTarget``) than those of the session itself.
  var targetTokens: [TokenTarget.Key: AccessToken] = [:]
  /// Whether this session has ever received a token for another ``TokenTarget``.
  var hasUsedTargets = false
  /// Whether the sign-in requested `offline_access`. Some servers grant it without listing it in the granted scope.
  var hasOfflineAccess = false

  /// Creates the token set of a new sign-in.
  /// - Parameters:
  ///   - details: What the request asked for in addition to the scope.
  ///   - requestedAt: The time just before the request was sent, so that network latency doesn't extend the token's
  ///     lifetime.
  package init(
    issuer: Issuer, clientID: String, requestedScope: Scope, details: SignInDetails = SignInDetails(), response: TokenResponse,
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
    self.dpopKey = details.dpopKey
    self.resources = details.resources
    self.hasOfflineAccess = requestedScope.contains(.offlineAccess)
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

  /// Returns this token set after a refresh (RFC 6749 §6). If the response has no refresh token, scope, or verified ID
  /// token, the old value is kept. Expired tokens of other targets are removed.
  /// - Parameter target: What the new access token is for. The session's own access token is replaced only if this is
  ///   ``TokenTarget/own``.
  package func renewed(
    by response: TokenResponse, claims: IDTokenClaims?, requestedAt: Timestamp, for target: TokenTarget = TokenTarget()
  ) -> TokenSet {
    var tokenSet = self
    tokenSet.generation += 1
    tokenSet.refreshToken = response.refreshToken ?? self.refreshToken
    tokenSet.responseUnknownSince = nil
    tokenSet.errorResponse = nil
    tokenSet.claims = claims ?? self.claims
    // Replace the ID token only with one that was verified.
    if claims != nil { tokenSet.idToken = response.idToken }
    tokenSet.removeExpiredTargetTokens(at: requestedAt)
    if target.key.isOwn {
      tokenSet.replaceAccessToken(with: response, requestedAt: requestedAt)
    } else {
      tokenSet.add(response, for: target, requestedAt: requestedAt)
    }
    return tokenSet
  }

  private mutating func replaceAccessToken(with response: TokenResponse, requestedAt: Timestamp) {
    self.scope = response.grantedScope ?? self.scope
    self.accessToken = response.accessToken
    self.obtainedAt = requestedAt
    self.expiresAt = response.expiresIn.map { requestedAt + .seconds($0) }
    self.tokenType = response.type ?? .bearer
    self.additional = Secret(self.additional.reveal().merging(response.additional.reveal()) { _, new in new })
  }

  /// Whether the session's own access token remains valid for at least the given time; see
  /// ``AccessToken/isValid(for:at:)``.
  package func isValid(for minimum: Duration = .zero, at now: Timestamp) -> Bool {
    self.token(for: TokenTarget.own.key)?.isValid(for: minimum, at: now) ?? false
  }

  /// Why the user must sign in again after the access token expires.
  var requirement: SignInRequirement {
    self.errorResponse.map(self.requirement(after:)) ?? .noRefreshToken
  }

  /// Why the user must sign in again after the server rejected the refresh token.
  func requirement(after errorResponse: OAuthErrorResponse) -> SignInRequirement {
    self.responseUnknownSince == nil ? .refused(errorResponse) : .refusedAfterLostResponse(errorResponse)
  }

  /// Whether this token set is newer than `other`, or belongs to another sign-in.
  package func supersedes(_ other: TokenSet) -> Bool {
    self.id != other.id || self.generation > other.generation
  }
}
