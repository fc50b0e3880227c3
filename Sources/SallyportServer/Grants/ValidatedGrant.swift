import SallyportProtocol

/// A user's grant for which tokens may be issued. ``TokenMinter`` issues a user's tokens only for such a value.
///
/// Each internal initializer runs the checks of one grant type and does not change the store.
struct ValidatedGrant: Sendable {
  let grant: GrantRecord
  /// The scope, the resources, and the DPoP key of the access token.
  let parameters: AccessTokenParameters
  /// The user's account, from which the ID token takes the claims that the `claims` parameter requested individually
  /// (OpenID Connect Core §5.5). Nil for a refresh token or device code, because the resulting ID token contains no
  /// such claims.
  let account: AccountRecord?
  /// Whether a refresh token is issued with the first access token (OpenID Connect Core §11).
  let isRefreshable: Bool

  private init(_ grant: GrantRecord, _ parameters: AccessTokenParameters, account: AccountRecord? = nil, for client: ClientRecord)
  {
    self.grant = grant
    self.parameters = parameters
    self.account = account
    self.isRefreshable = client.getsRefreshToken(for: grant.scope)
  }

  /// Validates the redemption of an authorization code (RFC 6749 §4.1.3).
  ///
  /// A used code that its client presents again with the right redirect URI and verifier is a replay, even if it has
  /// expired or the request has a different DPoP key or resource. For example, if an attacker redeemed the code first,
  /// the legitimate client's request has a different key.
  init(
    _ code: GrantedCredential<AuthorizationCodeRecord>, for redemption: AuthorizationCodeGrant, _ context: GrantContext
  ) throws(TokenError) {
    let (request, grant, record) = (redemption.request, code.grant, code.credential)
    guard grant.client == request.client.id else { throw .codeOfAnotherClient }
    let isUsed = record.consumedAt != nil
    guard isUsed || record.failures < AuthorizationCodeGrant.maximumFailures else { throw .codeExhausted }
    guard record.redirectURI.utf8.elementsEqual(redemption.redirectURI.utf8) else { throw .redirectMismatch }
    try redemption.checkVerifier(against: record.challenge)
    guard isUsed || context.now < record.expiresAt else { throw .codeExpired }
    guard grant.revokedAt == nil else { throw .grantEnded }
    try code.account.checkAllowsRedemption(decisionAt: grant.createdAt)
    guard !isUsed else { throw .codeReplayed }
    try request.checkBinding(to: grant.jkt)
    try context.checkLevel(of: grant, for: request.client, grant.scope)
    let resources = try request.resources(within: grant.resources, issuer: context.issuer)
    self.init(
      grant, AccessTokenParameters(scope: grant.scope, resources: resources, jkt: request.jkt), account: code.account,
      for: request.client)
  }

  /// Validates a refresh (RFC 6749 §6), except for the reuse of the token, which ``RefreshTokenGrant`` detects.
  init(
    _ token: GrantedCredential<RefreshTokenRecord>, for refresh: RefreshTokenGrant, _ context: GrantContext
  ) throws(TokenError) {
    let request = refresh.request
    var grant = token.grant
    guard grant.client == request.client.id else { throw .refreshTokenOfAnotherClient }
    guard grant.revokedAt == nil, context.now < grant.expiresAt else { throw .grantEnded }
    try token.account.checkAllowsRedemption(decisionAt: grant.createdAt)
    // A consumed token passes even if it has expired, so that its reuse is detected.
    guard token.credential.consumedAt != nil || context.now < token.credential.expiresAt else { throw .refreshTokenExpired }
    // RFC 9449 §5: a confidential client's refresh token is bound to the client, which may change its DPoP key.
    if !request.client.isConfidential { try request.checkBinding(to: grant.jkt) }
    let scope = try refresh.scope(within: grant)
    try context.checkLevel(of: grant, for: request.client, scope)
    let resources = try request.resources(within: grant.resources, issuer: context.issuer)
    // OpenID Connect Core §12.2: the nonce belongs to the first ID token.
    grant.nonce = nil
    self.init(grant, AccessTokenParameters(scope: scope, resources: resources, jkt: request.jkt), for: request.client)
  }

  /// Validates a device's poll (RFC 8628 §3.5), and creates the grant with a new identifier.
  init(
    _ authorization: DeviceCodeGrant.Credential, for poll: DeviceCodeGrant, _ context: GrantContext
  ) throws(TokenError) {
    let (request, device, now) = (poll.request, authorization.device, context.now)
    guard device.client == request.client.id else { throw .deviceCodeOfAnotherClient }
    guard device.consumedAt == nil else { throw .deviceCodeUsed }
    guard now < device.expiresAt else { throw .deviceCodeExpired }
    try poll.checkInterval(of: device, at: now)
    try request.checkBinding(to: device.jkt)
    let resources = try request.resources(within: device.resources, issuer: context.issuer)
    guard let decision = device.decision, let decidedAt = device.decidedAt else { throw .deviceUndecided }
    guard case .allowed(_, let authenticatedAt, _, let methods) = decision else { throw .deviceDenied }
    guard let account = authorization.account else { throw .accountEnded }
    try account.checkAllowsRedemption(decisionAt: decidedAt)
    try context.checkLevel(of: methods, for: request.client, device.scope)
    // The grant gets no session ID, because the device stays signed in when the user signs out of the browser.
    let isRefreshable = request.client.getsRefreshToken(for: device.scope)
    let grant = GrantRecord(
      id: .random(for: account.id, at: now, in: context.grantOrder), client: request.client.id, account: account.id,
      scope: device.scope, resources: device.resources,
      // RFC 9449 §5: only a public client's refresh tokens are bound to the DPoP key.
      jkt: request.client.isConfidential ? nil : request.jkt,
      authenticationContext: AuthenticationContext.Level(of: methods).rawValue,
      authenticationMethods: methods, authenticatedAt: authenticatedAt, createdAt: account.decisionTime(at: now),
      expiresAt: now + (isRefreshable ? context.lifetimes.grant : context.lifetimes.accessToken))
    self.init(grant, AccessTokenParameters(scope: grant.scope, resources: resources, jkt: request.jkt), for: request.client)
  }
}

extension GrantContext {
  /// Checks the level at which the user of a grant was authenticated. An individually requested claim requires the same
  /// level as the scope value that includes it, because userinfo returns the claim even if the scope does not contain
  /// this value.
  fileprivate func checkLevel(of grant: GrantRecord, for client: ClientRecord, _ scope: Scope) throws(TokenError) {
    let claims = RequestedClaims(stored: grant.requestedClaims)
    try self.checkLevel(of: grant.authenticationMethods, for: client, Scope([scope, claims?.impliedScope ?? ""]))
  }

  /// Checks that these `amr` values reach the level that operators require for the client and the scope. Operators may
  /// have raised the level since the user's decision.
  fileprivate func checkLevel(of methods: [String], for client: ClientRecord, _ scope: Scope) throws(TokenError) {
    guard AuthenticationContext.Level(of: methods) >= self.configuration.requiredLevel(of: client, for: scope) else {
      throw .authenticationTooWeak
    }
  }
}

extension AccountRecord {
  /// Returns the time to store for a user's decision: `now`, or the time of the last password change if that is later.
  ///
  /// Another server, whose clock is a little ahead, may have changed the password. Otherwise, a decision that follows a
  /// sign-in with the new password would be older than the change. Call this only if the user's session has not ended
  /// in the transaction that stores the decision, because then the account's password has not changed since this record
  /// was read.
  func decisionTime(at now: Timestamp) -> Timestamp { max(now, self.passwordChangedAt) }

  /// Checks that a grant may be redeemed: the account is enabled, and its password has not changed since the user's
  /// decision (RFC 9700 §4.14.2).
  ///
  /// Disabling an account and changing its password already end its grants in the same transaction (``SessionEnd``).
  /// This check is a second safeguard. A decision in the same millisecond as the change passes, because it may follow a
  /// sign-in with the new password; grants from before the change have been revoked.
  /// - Parameter time: The time of the user's decision.
  fileprivate func checkAllowsRedemption(decisionAt time: Timestamp) throws(TokenError) {
    guard self.disabledAt == nil else { throw .accountEnded }
    guard time >= self.passwordChangedAt else { throw .passwordChanged }
  }
}
