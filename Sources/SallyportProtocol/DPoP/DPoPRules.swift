/// Rules of RFC 9449 §4.3 for a parsed proof, with one function for each check. Times are in seconds since 1970, and
/// durations in seconds.
enum DPoPRules {
  /// Rule 4: `typ` must be `dpop+jwt`.
  static func checkType(_ header: JWSHeader) throws(DPoPProofError) {
    guard header.isType(DPoPProof.type) else { throw .typeMismatch }
  }

  /// RFC 7515 §4.1.11: critical header parameters are not supported.
  static func checkCritical(_ header: JWSHeader) throws(DPoPProofError) {
    guard !header.hasCriticalParameters else { throw .criticalHeader }
  }

  /// Rule 5: the algorithm must be one that the server allows.
  static func checkAlgorithm(
    _ header: JWSHeader, allowed: Set<DPoPAlgorithm>
  ) throws(DPoPProofError) -> DPoPAlgorithm {
    guard let algorithm = DPoPAlgorithm(rawValue: header.algorithm), allowed.contains(algorithm) else {
      throw .algorithmNotAllowed
    }
    return algorithm
  }

  /// Rule 3: the proof must have a `jti`. Its length is limited because identifiers are stored.
  static func checkIdentifier(_ claims: DPoPClaims) throws(DPoPProofError) {
    guard (1...256).contains(claims.identifier.utf8.count) else { throw .identifierInvalid }
  }

  /// Rule 8: `htm` must be the method of the request.
  static func checkMethod(_ claims: DPoPClaims, _ target: DPoPTarget) throws(DPoPProofError) {
    guard claims.method.utf8.elementsEqual(target.method.utf8) else { throw .methodMismatch }
  }

  /// Rule 9: apart from the query and the fragment, the URLs must be equal after normalization.
  static func checkURL(_ claims: DPoPClaims, _ target: DPoPTarget) throws(DPoPProofError) {
    guard let url = DPoPTarget(method: claims.method, url: claims.url)?.url, url.utf8.elementsEqual(target.url.utf8) else {
      throw .urlMismatch
    }
  }

  /// Rule 10: the proof must contain a valid nonce if the server requires one.
  /// - Parameter nonces: The valid nonces, or `nil` if the server does not require a nonce.
  static func checkNonce(_ claims: DPoPClaims, _ nonces: [String]?) throws(DPoPProofError) {
    guard let nonces else { return }
    guard let nonce = claims.nonce else { throw .nonceMissing }
    guard nonces.contains(where: { constantTimeEqual($0.utf8, nonce.utf8) }) else { throw .nonceMismatch }
  }

  /// Rule 11: `iat` must not be older than the maximum age, or in the future by more than the tolerated clock
  /// difference (§11.1).
  ///
  /// If the proof must contain a nonce, `iat` is not checked, because the nonce (rule 10) shows when the proof was
  /// made. The client's clock therefore does not matter.
  /// - Parameter hasNonce: Whether the proof must contain a nonce, which ``checkNonce(_:_:)`` has checked.
  static func checkIssuedAt(
    _ claims: DPoPClaims, hasNonce: Bool, now: Double, maximumAge: Double, leeway: Double
  ) throws(DPoPProofError) {
    guard !hasNonce else { return }
    guard claims.issuedAt <= now + leeway else { throw .issuedInFuture }
    guard claims.issuedAt > now - maximumAge else { throw .tooOld }
  }

  /// Rule 12, first part: `ath` must be the hash of the access token.
  static func checkAccessTokenHash(_ claims: DPoPClaims, _ accessToken: Secret<String>?) throws(DPoPProofError) {
    guard let accessToken else { return }
    guard let claim = claims.accessTokenHash else { throw .accessTokenHashMissing }
    guard constantTimeEqual(claim.utf8, DPoPProof.hash(accessToken).utf8) else { throw .accessTokenHashMismatch }
  }

  /// Rule 12, second part: the key must be the one to which the access token is bound. The same applies to a code (§10)
  /// and to the refresh token of a public client (§5).
  static func checkThumbprint(_ key: DPoPPublicKey, _ thumbprint: String?) throws(DPoPProofError) {
    guard let thumbprint else { return }
    guard constantTimeEqual(key.thumbprint.utf8, thumbprint.utf8) else { throw .keyMismatch }
  }
}
