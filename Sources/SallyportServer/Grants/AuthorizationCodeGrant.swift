package import SallyportProtocol

/// `grant_type=authorization_code` (RFC 6749 §4.1.3) with PKCE (RFC 7636 §4.5 and §4.6).
package struct AuthorizationCodeGrant: Sendable {
  let store: any Store
  let minter: TokenMinter
  let lifetimes: Lifetimes
  let now: TimeSource

  /// The number of failed redemptions after which a code is no longer accepted. Until then it stays valid, so an
  /// attacker who sees a code cannot invalidate it by presenting it.
  package static var maximumFailures: Int { 5 }

  /// Redeems a code.
  package func respond(to request: TokenRequest) async throws(TokenError) -> TokenResponse {
    let redemption = try Request(request)
    let now = self.now()
    let signers = try await self.minter.signers(for: request.client, at: now)
    let refreshToken = OpaqueToken.random(.refreshToken)
    let granted = try await self.redeem(redemption, request.client, issuing: refreshToken.fingerprint, at: now)
    let grant = granted.loaded.grant
    let isRefreshable = Self.isRefreshable(grant, by: request.client)
    return try self.minter.response(
      for: grant, of: granted.loaded.account, TokenAccess(scope: grant.scope, resources: granted.resources, key: request.key),
      refreshToken: isRefreshable ? RefreshToken(refreshToken, .first(of: grant.id)).text : nil, signedBy: signers, at: now)
  }

  /// Whether the grant includes a refresh token (OpenID Connect Core §11).
  private static func isRefreshable(_ grant: GrantRecord, by client: ClientRecord) -> Bool {
    grant.scope.contains(.offlineAccess) && client.grantTypes.contains(.refreshToken)
  }

  // MARK: Parse

  struct Request: Sendable {
    let code: AuthorizationCode
    let redirectURI: String
    let verifier: CodeVerifier?
    let origin: AuditOrigin
    let proof: UnusedDPoPProof?
    let resources: [String]

    /// The thumbprint of the DPoP key.
    var key: String? { self.proof?.key }

    init(_ request: TokenRequest) throws(TokenError) {
      let form = request.form
      self.proof = request.proof
      self.origin = request.origin
      self.resources = form.values(of: "resource")
      guard let code = form["code"] else { throw TokenError(.invalidRequest, .missingParameter("code")) }
      guard let redirectURI = form["redirect_uri"] else { throw TokenError(.invalidRequest, .missingParameter("redirect_uri")) }
      guard let code = AuthorizationCode(code) else { throw TokenError(.invalidGrant, .codeUnknown) }
      self.code = code
      self.redirectURI = redirectURI
      guard let verifier = form["code_verifier"] else {
        self.verifier = nil
        return
      }
      do { self.verifier = try CodeVerifier(verifier) } catch { throw TokenError(.invalidRequest, .verifierMalformed) }
    }
  }

  // MARK: Load

  typealias Loaded = Granted<AuthorizationCodeRecord>

  // MARK: Validate

  struct ValidatedGrant: Sendable {
    let loaded: Loaded
    /// The resources of the access token.
    let resources: [String]
    fileprivate init(_ loaded: Loaded, resources: [String]) {
      self.loaded = loaded
      self.resources = resources
    }
  }

  /// Validates a redemption. Pure.
  ///
  /// A used code that is presented again with the right verifier is a replay, even if it has expired or the request has
  /// a different DPoP key or resource. If a thief redeemed the code first, the legitimate client's request has a
  /// different key.
  static func validate(
    _ loaded: Loaded?, _ request: Request, _ client: ClientRecord, issuer: Issuer, at now: Timestamp
  ) throws(TokenError) -> ValidatedGrant {
    guard let loaded else { throw TokenError(.invalidGrant, .codeUnknown) }
    guard loaded.grant.client == client.id else { throw TokenError(.invalidGrant, .codeOfAnotherClient) }
    let isUsed = loaded.credential.consumedAt != nil
    guard isUsed || loaded.credential.failures < self.maximumFailures else { throw TokenError(.invalidGrant, .codeExhausted) }
    guard loaded.credential.redirectURI.utf8.elementsEqual(request.redirectURI.utf8) else {
      throw TokenError(.invalidGrant, .redirectMismatch)
    }
    try self.checkVerifier(request.verifier, against: loaded.credential.challenge, of: client)
    guard isUsed || now < loaded.credential.expiresAt else { throw TokenError(.invalidGrant, .codeExpired) }
    guard loaded.grant.revokedAt == nil else { throw TokenError(.invalidGrant, .grantEnded) }
    try loaded.account.checkUpholds(decisionAt: loaded.grant.createdAt)
    guard !isUsed else { throw TokenError(.invalidGrant, .codeReplayed) }
    try TokenRequest.checkBinding(loaded.grant.boundKey, request.key)
    do {
      let resources = try ResourceIndicators.narrowed(request.resources, within: loaded.grant.resources, issuer: issuer)
      return ValidatedGrant(loaded, resources: resources)
    } catch { throw TokenError(.invalidTarget, .resource(error)) }
  }

  /// RFC 7636 §4.6. A verifier for a code without a challenge is rejected, because it indicates an attack (RFC 9700
  /// §2.1.1).
  static func checkVerifier(
    _ verifier: CodeVerifier?, against challenge: CodeChallenge?, of client: ClientRecord
  ) throws(TokenError) {
    guard let challenge else {
      if client.requiresPKCE { throw TokenError(.invalidGrant, .verifierMissing) }
      if verifier != nil { throw TokenError(.invalidGrant, .verifierWithoutChallenge) }
      return
    }
    guard let verifier else { throw TokenError(.invalidGrant, .verifierMissing) }
    guard constantTimeEqual(verifier.challenge.value.utf8, challenge.value.utf8) else {
      throw TokenError(.invalidGrant, .verifierMismatch)
    }
  }

  // MARK: Persist

  /// Redeems a code in one transaction.
  /// - Returns: The validated grant. Only one caller succeeds.
  private func redeem(
    _ request: Request, _ client: ClientRecord, issuing refreshToken: Fingerprint, at now: Timestamp
  ) async throws(TokenError) -> ValidatedGrant {
    let (lifetimes, issuer) = (self.lifetimes, self.minter.configuration.issuer)
    let outcome: Result<ValidatedGrant, TokenError>
    do {
      outcome = try await self.store.write { (tx) throws(StoreError) -> Result<ValidatedGrant, TokenError> in
        let loaded = try tx.authorizationCode(request.code.fingerprint, of: request.code.grant)
        if let proof = request.proof, loaded?.grant.client == client.id, try !proof.use(in: &tx) {
          return .failure(TokenError(.replayed))
        }
        let result = Result { () throws(TokenError) in
          try Self.validate(loaded, request, client, issuer: issuer, at: now)
        }
        switch result {
        case .success(let validated):
          let record = Self.isRefreshable(validated.loaded.grant, by: client) ? refreshToken : nil
          // RFC 9449 §5: the refresh token of a public client is bound to its DPoP key.
          let key = client.isConfidential ? nil : request.key
          return try Self.redeem(
            validated, issuing: record, boundTo: key, lifetimes: lifetimes, from: request.origin, at: now, in: &tx)
        case .failure(let refusal):
          if let loaded { try Self.note(refusal, of: loaded, from: request.origin, at: now, in: &tx) }
          return .failure(refusal)
        }
      }
    } catch { throw TokenError(storage: error) }
    return try outcome.get()
  }

  /// Counts a failed redemption, or revokes the grant after a replay (RFC 6749 §4.1.2). Both are committed.
  private static func note(
    _ refusal: TokenError, of loaded: Loaded, from origin: AuditOrigin, at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) {
    if refusal.reason.countsAgainstCode { _ = try tx.countFailedRedemption(of: loaded.grant.id) }
    if refusal.reason == .codeReplayed { try tx.end(loaded.grant, for: .codeReplayed, from: origin, at: now) }
  }

  /// Consumes the code. Succeeds for exactly one caller, even if the store's transactions are not isolated from each
  /// other.
  private static func redeem(
    _ validated: ValidatedGrant, issuing refreshToken: Fingerprint?, boundTo key: String?, lifetimes: Lifetimes,
    from origin: AuditOrigin, at now: Timestamp, in tx: inout any StoreTransaction
  ) throws(StoreError) -> Result<ValidatedGrant, TokenError> {
    let grant = validated.loaded.grant
    guard try tx.consumeAuthorizationCode(of: grant.id, at: now) else {
      try tx.end(grant, for: .codeReplayed, from: origin, at: now)
      return .failure(TokenError(.invalidGrant, .codeReplayed))
    }
    if let key, try !tx.bindGrant(grant.id, to: key) { throw .refused }
    if let refreshToken {
      try tx.insert(RefreshTokenRecord(.first(of: grant.id), refreshToken, of: grant, lifetimes, at: now))
    }
    return .success(validated)
  }
}

extension TokenError.Reason {
  /// Whether the failed request counts toward ``AuthorizationCodeGrant/maximumFailures``.
  fileprivate var countsAgainstCode: Bool {
    switch self {
    case .codeOfAnotherClient, .redirectMismatch, .verifierMissing, .verifierMismatch, .verifierWithoutChallenge: true
    default: false
    }
  }
}
