import SallyportProtocol

/// `grant_type=authorization_code` (RFC 6749 §4.1.3) with PKCE (RFC 7636 §4.5 and §4.6).
package struct AuthorizationCodeGrant: CredentialGrant {
  let request: TokenRequest
  let code: AuthorizationCode
  let redirectURI: String
  let verifier: CodeVerifier?
  /// The secret of the refresh token, which is used only if the grant is refreshable.
  private let refreshToken = OpaqueToken.random(.refreshToken)

  /// The number of failed redemptions after which a code is no longer accepted. Fewer failures do not invalidate the
  /// code, so an attacker who sees it cannot invalidate it with a single request.
  package static var maximumFailures: Int { 5 }

  static var unknownCredential: TokenError { .codeUnknown }

  // MARK: Parse

  init(_ request: TokenRequest) throws(TokenError) {
    self.request = request
    let code = try request.value(of: "code")
    self.redirectURI = try request.value(of: "redirect_uri")
    guard let code = AuthorizationCode(code) else { throw .codeUnknown }
    self.code = code
    guard let verifier = request.form["code_verifier"] else {
      self.verifier = nil
      return
    }
    do { self.verifier = try CodeVerifier(verifier) } catch { throw .verifierMalformed }
  }

  // MARK: Load and validate

  func load(in tx: inout any StoreTransaction) throws(StoreError) -> GrantedCredential<AuthorizationCodeRecord>? {
    try tx.authorizationCode(self.code.fingerprint, of: self.code.grant)
  }

  func validate(
    _ code: GrantedCredential<AuthorizationCodeRecord>, _ context: GrantContext
  ) throws(TokenError) -> ValidatedGrant {
    try ValidatedGrant(code, for: self, context)
  }

  /// Checks the PKCE verifier (RFC 7636 §4.6). A verifier for a code without a challenge is rejected, because it
  /// indicates an attack (RFC 9700 §2.1.1).
  func checkVerifier(against challenge: CodeChallenge?) throws(TokenError) {
    guard let challenge else {
      if self.request.client.requiresPKCE { throw .verifierMissing }
      if self.verifier != nil { throw .verifierWithoutChallenge }
      return
    }
    guard let verifier else { throw .verifierMissing }
    guard constantTimeEqual(verifier.challenge.value.utf8, challenge.value.utf8) else { throw .verifierMismatch }
  }

  /// Returns whether to consume the DPoP proof of the request. A request with a code of this client consumes its proof
  /// even if the request fails, so nobody who sees the request can use the proof with a corrected request (decision
  /// 0011).
  func consumesProof(for code: GrantedCredential<AuthorizationCodeRecord>, after error: TokenError?) -> Bool {
    code.grant.client == self.request.client.id
  }

  // MARK: Store

  /// Consumes the code, and adds the first refresh token if the grant is refreshable. If another request has consumed
  /// the code since it was loaded, revokes the grant (RFC 6749 §4.1.2).
  func redeem(
    _ code: GrantedCredential<AuthorizationCodeRecord>, as validated: ValidatedGrant, _ context: GrantContext,
    in tx: inout any StoreTransaction
  ) throws(StoreError) -> Result<Void, TokenError> {
    let grant = validated.grant
    guard try tx.consumeAuthorizationCode(of: grant.id, at: context.now) else {
      try tx.end(grant, for: .codeReplayed, from: self.request.origin, at: context.now)
      return .failure(.codeReplayed)
    }
    // RFC 9449 §5: the refresh token of a public client is bound to its DPoP key. Validation has checked that the grant
    // is not bound to another key.
    if !self.request.client.isConfidential, let jkt = self.request.jkt, try !tx.bindGrant(grant.id, to: jkt) {
      throw .rolledBack
    }
    if validated.isRefreshable {
      let fingerprint = self.refreshToken.fingerprint
      try tx.insert(RefreshTokenRecord(.first(of: grant.id), fingerprint, of: grant, context.lifetimes, at: context.now))
    }
    return .success(())
  }

  /// Counts a failed redemption (see ``maximumFailures``), or revokes the grant if the code was used before (RFC 6749
  /// §4.1.2).
  func applyEffects(
    of error: TokenError, on code: GrantedCredential<AuthorizationCodeRecord>, _ context: GrantContext,
    in tx: inout any StoreTransaction
  ) throws(StoreError) {
    switch error {
    case .codeOfAnotherClient, .redirectMismatch, .verifierMissing, .verifierMismatch, .verifierWithoutChallenge:
      _ = try tx.countFailedRedemption(of: code.grant.id)
    case .codeReplayed: try tx.end(code.grant, for: .codeReplayed, from: self.request.origin, at: context.now)
    default: break
    }
  }

  // MARK: Respond

  func refreshToken(for validated: ValidatedGrant, _ outcome: Void) -> Secret<String>? {
    validated.isRefreshable ? RefreshToken(self.refreshToken, .first(of: validated.grant.id)).text : nil
  }
}
