#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol

/// Validates ID tokens of one issuer for one client (OpenID Connect Core §3.1.3.7).
package struct IDTokenVerifier: Sendable {
  private let issuer: Issuer
  private let tenants: TenantPolicy?
  private let clientID: String
  private let keys: JWKSCache
  private let allowedAlgorithms: [String]?
  private let leeway: Duration
  private let now: TimeSource

  /// - Parameters:
  ///   - tenants: The tenants whose tokens are accepted, if the issuer serves several, as Microsoft does. `iss` must
  ///     then be the issuer identifier of one of them. With `nil`, `iss` must be `issuer`.
  ///   - allowedAlgorithms: The algorithms that the issuer announces, or `nil` to allow every supported asymmetric
  ///     algorithm. `none` and symmetric algorithms are never allowed.
  ///   - leeway: The tolerated clock difference.
  package init(
    issuer: Issuer, tenants: TenantPolicy? = nil, clientID: String, keys: JWKSCache, allowedAlgorithms: [String]?,
    leeway: Duration = .seconds(60), now: @escaping TimeSource = Timestamp.now
  ) {
    self.issuer = issuer
    self.tenants = tenants
    self.clientID = clientID
    self.keys = keys
    self.allowedAlgorithms = allowedAlgorithms
    self.leeway = leeway
    self.now = now
  }

  /// Validates the token and returns its claims.
  /// - Throws: ``IDTokenError``, which names the violated rule.
  package func verify(
    _ token: Secret<String>, expecting expectations: IDTokenExpectations
  ) async throws(IDTokenError) -> IDTokenClaims {
    let jws: JWSCompact
    do {
      jws = try JWSCompact(token.reveal())
    } catch .signatureNotBase64URL {
      throw .signatureInvalid
    } catch {
      throw .malformed(error)
    }
    try IDTokenRules.checkCritical(jws.header)
    try IDTokenRules.checkAlgorithm(jws.header, allowed: self.allowedAlgorithms)
    let key = try await self.key(for: jws.header)
    guard jws.isSigned(by: key) else { throw .signatureInvalid }
    return try self.check(jws, signedBy: key, expectations)
  }

  /// Compares the claims of a token whose signature cannot be verified with those of the previous token.
  /// - Throws: ``IDTokenError/changed(_:)`` if they differ, or another error if the token cannot be decoded. If no
  ///   error is thrown, the token is still not verified, so do not use its claims.
  package static func checkUnverified(_ token: Secret<String>, since previous: IDTokenClaims) throws(IDTokenError) {
    let jws: JWSCompact
    do { jws = try JWSCompact(token.reveal()) } catch { throw .malformed(error) }
    guard let claims = try? JSONDecoder().decode(IDTokenClaims.self, from: Data(jws.payload)) else { throw .claimsMalformed }
    try IDTokenRules.checkUnchanged(claims, since: previous)
  }

  private func key(for header: JWSHeader) async throws(IDTokenError) -> VerificationKey {
    do {
      return try await self.keys.key(id: header.keyID, algorithm: header.algorithm)
    } catch {
      throw .key(error)
    }
  }

  /// Checks the claims after the signature has been verified.
  private func check(
    _ jws: JWSCompact, signedBy key: VerificationKey, _ expectations: IDTokenExpectations
  ) throws(IDTokenError) -> IDTokenClaims {
    let payload = Data(jws.payload)
    guard let claims = try? JSONDecoder().decode(IDTokenClaims.self, from: payload),
      let otherClaims = try? JSONDecoder().decode(OtherClaims.self, from: payload)
    else { throw .claimsMalformed }
    let now = Double(self.now().milliseconds) / 1000
    let leeway = Double(self.leeway.milliseconds) / 1000
    if let tenants = self.tenants {
      try IDTokenRules.checkTenant(claims, tenant: otherClaims.tid, tenants, keyIssuer: key.issuer)
    } else {
      try IDTokenRules.checkIssuer(claims, self.issuer)
    }
    try IDTokenRules.checkSubject(claims)
    try IDTokenRules.checkAudience(claims, self.clientID)
    try IDTokenRules.checkAuthorizedParty(claims, self.clientID)
    try IDTokenRules.checkNonce(claims, expectations.nonce)
    try IDTokenRules.checkAccessTokenHash(claims, expectations.accessToken, algorithm: jws.header.algorithm)
    try IDTokenRules.checkUnchanged(claims, since: expectations.previous)
    // A refresh ignores an ID token if only its times are wrong, so check the times after the other claims. The two
    // checks that follow have no effect in a refresh, which expects neither `max_age` nor `acr` values.
    do {
      try self.checkTimes(claims, otherClaims.nbf, now: now, leeway: leeway)
    } catch {
      throw self.clockError(claims, otherClaims.nbf, expectations, now: now, leeway: leeway) ?? error
    }
    try IDTokenRules.checkAuthenticationTime(claims, maxAge: expectations.maxAge, now: now, leeway: leeway)
    try IDTokenRules.checkAuthenticationContext(claims, expectations.acrValues)
    return claims
  }

  /// Checks `exp`, `iat`, and `nbf` against a time.
  private func checkTimes(
    _ claims: IDTokenClaims, _ notBefore: Double?, now: Double, leeway: Double
  ) throws(IDTokenError) {
    try IDTokenRules.checkExpiration(claims, now: now, leeway: leeway)
    try IDTokenRules.checkIssuedAt(claims, now: now, leeway: leeway)
    try IDTokenRules.checkNotBefore(notBefore, now: now, leeway: leeway)
  }

  /// The error for a token whose times are invalid only because this machine's clock is wrong: the token's issue time
  /// and the response's `Date` agree with each other, but not with the clock.
  /// - Returns: `nil` if the clock is not the reason.
  private func clockError(
    _ claims: IDTokenClaims, _ notBefore: Double?, _ expectations: IDTokenExpectations, now: Double, leeway: Double
  ) -> IDTokenError? {
    guard let serverTime = expectations.serverTime.map({ Double($0.milliseconds) / 1000 }), abs(now - serverTime) > leeway,
      abs(claims.issuedAt - serverTime) <= Self.longestDelivery,
      (try? self.checkTimes(claims, notBefore, now: serverTime, leeway: leeway)) != nil
    else { return nil }
    return .clockWrong(ahead: Int64((now - serverTime).rounded()))
  }

  /// How old a newly issued token can be when it is sent, in seconds.
  private static let longestDelivery: Double = 300
}

/// Claims that are checked but not part of ``IDTokenClaims``.
private struct OtherClaims: Decodable {
  /// RFC 7519 §4.1.5. ID tokens rarely contain it.
  let nbf: Double?
  /// The user's tenant at Microsoft.
  let tid: String?
}
