package import SallyportProtocol

/// `grant_type=authorization_code`, RFC 6749 §4.1.3 with PKCE, RFC 7636 §4.5 and §4.6.
package struct AuthorizationCodeGrant<S: Store>: Sendable {
  let store: S
  let minter: TokenMinter<S>
  let lifetimes: Lifetimes
  let now: TimeSource

  /// A code that wrong redemptions may be tried on so often; it stays usable until then, since otherwise whoever sees a code
  /// on its way could end the sign-in by presenting it.
  package static var maximumFailures: Int { 5 }

  /// Redeems a code.
  package func respond(to form: FormParameters, from client: AuthenticatedClient) async throws(TokenError) -> TokenResponse {
    let request = try Request(form)
    let now = self.now()
    let loaded = try await self.load(request.code)
    let grant = try await self.validated(loaded, request, client, at: now)
    let minted = try await self.minter.mint(
      for: grant.loaded.grant, of: grant.loaded.account, to: client.record, scope: grant.loaded.grant.scope, at: now)
    let refreshToken = grant.loaded.grant.scope.contains(.offlineAccess) ? OpaqueToken.random(.refreshToken) : nil
    guard try await self.redeem(grant, issuing: refreshToken, at: now) else { throw TokenError(.invalidGrant, .codeReplayed) }
    return minted.response(refreshToken: refreshToken?.text)
  }

  // MARK: Parse

  struct Request: Sendable {
    let code: OpaqueToken
    let redirectURI: String
    let verifier: CodeVerifier?

    init(_ form: FormParameters) throws(TokenError) {
      guard let code = form["code"] else { throw TokenError(.invalidRequest, .missingParameter("code")) }
      guard let redirectURI = form["redirect_uri"] else { throw TokenError(.invalidRequest, .missingParameter("redirect_uri")) }
      guard let code = OpaqueToken(.authorizationCode, code) else { throw TokenError(.invalidGrant, .codeUnknown) }
      self.code = code
      self.redirectURI = redirectURI
      guard let verifier = form["code_verifier"] else {
        self.verifier = nil
        return
      }
      do { self.verifier = try CodeVerifier(verifier) } catch { throw TokenError(.invalidGrant, .verifierMalformed) }
    }
  }

  // MARK: Load

  struct Loaded: Sendable {
    let code: AuthorizationCodeRecord
    let grant: GrantRecord
    let account: AccountRecord
  }

  private func load(_ code: OpaqueToken) async throws(TokenError) -> Loaded? {
    do {
      return try await self.store.read { (tx) throws(StoreError) -> Loaded? in
        guard let code = try tx.authorizationCode(code.fingerprint), let grant = try tx.grant(code.grant),
          let account = try tx.account(grant.account)
        else { return nil }
        return Loaded(code: code, grant: grant, account: account)
      }
    } catch { throw TokenError(storage: error) }
  }

  // MARK: Validate

  struct ValidatedGrant: Sendable {
    let loaded: Loaded
    fileprivate init(_ loaded: Loaded) { self.loaded = loaded }
  }

  /// Validates, and counts a failure against the code where the request does not fit it.
  private func validated(
    _ loaded: Loaded?, _ request: Request, _ client: AuthenticatedClient, at now: Timestamp
  ) async throws(TokenError) -> ValidatedGrant {
    do throws(TokenError) {
      return try Self.validate(loaded, request, client.record, at: now)
    } catch {
      guard let loaded, error.reason.countsAgainstCode else { throw error }
      let code = loaded.code.fingerprint
      do { _ = try await self.store.write { (tx) throws(StoreError) in try tx.countFailedRedemption(code) } } catch {
        throw TokenError(storage: error)
      }
      throw error
    }
  }

  /// Pure. A code that was used before passes here, however old, and fails in ``redeem(_:issuing:at:)``, where its replay is
  /// noticed.
  static func validate(
    _ loaded: Loaded?, _ request: Request, _ client: ClientRecord, at now: Timestamp
  ) throws(TokenError) -> ValidatedGrant {
    guard let loaded else { throw TokenError(.invalidGrant, .codeUnknown) }
    guard loaded.grant.client == client.id else { throw TokenError(.invalidGrant, .codeOfAnotherClient) }
    let isUsed = loaded.code.consumedAt != nil
    guard isUsed || loaded.code.failures < self.maximumFailures else { throw TokenError(.invalidGrant, .codeExhausted) }
    guard loaded.code.redirectURI.utf8.elementsEqual(request.redirectURI.utf8) else {
      throw TokenError(.invalidGrant, .redirectMismatch)
    }
    try self.checkVerifier(request.verifier, against: loaded.code.challenge, of: client)
    guard isUsed || now < loaded.code.expiresAt else { throw TokenError(.invalidGrant, .codeExpired) }
    guard loaded.grant.revokedAt == nil else { throw TokenError(.invalidGrant, .grantEnded) }
    guard loaded.account.disabledAt == nil else { throw TokenError(.invalidGrant, .accountEnded) }
    return ValidatedGrant(loaded)
  }

  /// RFC 7636 §4.6, and RFC 9700 §2.1.1: a verifier for a code without a challenge is an attack, not a superfluous parameter.
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

  /// True for exactly one caller. Another presentation revokes the whole grant, and that revocation commits (RFC 6749 §4.1.2).
  private func redeem(
    _ validated: ValidatedGrant, issuing refreshToken: OpaqueToken?, at now: Timestamp
  ) async throws(TokenError) -> Bool {
    let (code, grant) = (validated.loaded.code.fingerprint, validated.loaded.grant)
    let record = refreshToken.map { token in
      RefreshTokenRecord(
        fingerprint: token.fingerprint, grant: grant.id, issuedAt: now,
        expiresAt: min(now + self.lifetimes.refreshTokenIdle, grant.expiresAt))
    }
    do {
      return try await self.store.write { (tx) throws(StoreError) -> Bool in
        guard try tx.consumeAuthorizationCode(code, at: now) else {
          try tx.revokeGrant(grant.id, reason: .codeReplayed, at: now)
          return false
        }
        if let record { try tx.insert(record) }
        return true
      }
    } catch { throw TokenError(storage: error) }
  }
}

extension TokenError.Reason {
  /// Whether the request named a code that it could not redeem.
  fileprivate var countsAgainstCode: Bool {
    switch self {
    case .codeOfAnotherClient, .redirectMismatch, .verifierMissing, .verifierMismatch, .verifierWithoutChallenge: true
    default: false
    }
  }
}
