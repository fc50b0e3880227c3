import SallyportProtocol

/// The checks of an ID token except for its signature, one function each. Item numbers refer to the list in OpenID
/// Connect Core §3.1.3.7. The `now` parameters are in seconds since 1970, and the `leeway` parameters in seconds.
enum IDTokenRules {
  /// RFC 7515 §4.1.11: critical header parameters are not supported.
  static func checkCritical(_ header: JWSHeader) throws(IDTokenError) {
    guard !header.hasCriticalParameters else { throw .criticalHeader }
  }

  /// Item 7: the algorithm must be supported and asymmetric. If the issuer announced its algorithms, the token's
  /// algorithm must be one of them.
  static func checkAlgorithm(_ header: JWSHeader, allowed: [String]?) throws(IDTokenError) {
    guard SignatureAlgorithm(rawValue: header.algorithm) != nil, allowed?.contains(header.algorithm) ?? true else {
      throw .algorithmNotAllowed
    }
  }

  /// Item 2: the issuer must be identical to the expected issuer.
  static func checkIssuer(_ claims: IDTokenClaims, _ issuer: Issuer) throws(IDTokenError) {
    guard claims.issuer.utf8.elementsEqual(issuer.value.utf8) else { throw .issuerMismatch }
  }

  /// Item 2 for a provider with tenants: the token's issuer must be the issuer of the token's tenant, and the key must
  /// belong to this issuer.
  static func checkTenant(
    _ claims: IDTokenClaims, tenant: String?, _ tenants: TenantPolicy, keyIssuer: String?
  ) throws(IDTokenError) {
    guard let tenant, let issuer = tenants.issuer(of: tenant) else { throw .tenantNotAllowed }
    guard claims.issuer.utf8.elementsEqual(issuer.utf8) else { throw .issuerMismatch }
    guard let keyIssuer, tenants.issuer(ofKey: keyIssuer, tenant: tenant).utf8.elementsEqual(issuer.utf8) else {
      throw .keyOfAnotherIssuer
    }
  }

  /// §2: the subject has at most 255 ASCII characters, so at most 255 bytes. An empty subject identifies no user.
  static func checkSubject(_ claims: IDTokenClaims) throws(IDTokenError) {
    guard (1...255).contains(claims.subject.utf8.count) else { throw .subjectInvalid }
  }

  /// Item 3: the audiences must include this client.
  static func checkAudience(_ claims: IDTokenClaims, _ clientID: String) throws(IDTokenError) {
    guard claims.audience.values.contains(where: { $0.utf8.elementsEqual(clientID.utf8) }) else { throw .audienceMismatch }
  }

  /// Items 4 and 5: a token with several audiences must name an authorized party. If one is named, it must be this
  /// client.
  static func checkAuthorizedParty(_ claims: IDTokenClaims, _ clientID: String) throws(IDTokenError) {
    if let party = claims.authorizedParty {
      guard party.utf8.elementsEqual(clientID.utf8) else { throw .authorizedPartyMismatch }
    } else if claims.audience.values.count > 1 {
      throw .authorizedPartyMissing
    }
  }

  /// Item 9: the token must not have expired.
  static func checkExpiration(_ claims: IDTokenClaims, now: Double, leeway: Double) throws(IDTokenError) {
    guard now < claims.expiration + leeway else { throw .expired }
  }

  /// Item 10: the token must not have been issued in the future. There is no maximum age.
  static func checkIssuedAt(_ claims: IDTokenClaims, now: Double, leeway: Double) throws(IDTokenError) {
    guard claims.issuedAt <= now + leeway else { throw .issuedInFuture }
  }

  /// RFC 7519 §4.1.5: the token must already be valid.
  static func checkNotBefore(_ notBefore: Double?, now: Double, leeway: Double) throws(IDTokenError) {
    guard notBefore.map({ $0 <= now + leeway }) ?? true else { throw .notYetValid }
  }

  /// Item 11: if the request had a nonce, the token must contain it.
  static func checkNonce(_ claims: IDTokenClaims, _ nonce: String?) throws(IDTokenError) {
    guard let nonce else { return }
    guard let claim = claims.nonce, constantTimeEqual(claim.utf8, nonce.utf8) else { throw .nonceMismatch }
  }

  /// §3.1.3.8: `at_hash` is optional in the code flow. If the token contains it, and the response contains an access
  /// token, they must match.
  static func checkAccessTokenHash(
    _ claims: IDTokenClaims, _ accessToken: Secret<String>?, algorithm: String
  ) throws(IDTokenError) {
    guard let claim = claims.accessTokenHash, let accessToken else { return }
    guard let hash = AccessTokenHash.of(accessToken, algorithm: algorithm), constantTimeEqual(claim.utf8, hash.utf8) else {
      throw .accessTokenHashMismatch
    }
  }

  /// Item 13: with `max_age`, the token must contain `auth_time`, and that time must be recent enough.
  static func checkAuthenticationTime(
    _ claims: IDTokenClaims, maxAge: Duration?, now: Double, leeway: Double
  ) throws(IDTokenError) {
    guard let maxAge else { return }
    guard let time = claims.authenticationTime else { throw .authenticationTimeMissing }
    guard now - time <= Double(maxAge.milliseconds) / 1000 + leeway else { throw .authenticatedTooLongAgo }
  }

  /// Item 12 and §5.5.1.1: if authentication context classes are required, the token must contain one of them.
  static func checkAuthenticationContext(_ claims: IDTokenClaims, _ values: [String]) throws(IDTokenError) {
    guard !values.isEmpty else { return }
    guard let context = claims.authenticationContext, values.contains(where: { $0.utf8.elementsEqual(context.utf8) }) else {
      throw .authenticationContextMismatch
    }
  }

  /// §12.2: a refreshed token has the same issuer, subject, and audience. If both tokens have a nonce, the nonces are
  /// equal.
  static func checkUnchanged(_ claims: IDTokenClaims, since previous: IDTokenClaims?) throws(IDTokenError) {
    guard let previous else { return }
    guard claims.issuer.utf8.elementsEqual(previous.issuer.utf8) else { throw .changed(.issuer) }
    guard claims.subject.utf8.elementsEqual(previous.subject.utf8) else { throw .changed(.subject) }
    guard Set(claims.audience.values) == Set(previous.audience.values) else { throw .changed(.audience) }
    guard claims.nonce == nil || previous.nonce == nil || claims.nonce == previous.nonce else { throw .changed(.nonce) }
  }
}
