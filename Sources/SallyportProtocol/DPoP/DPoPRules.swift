/// The checks of RFC 9449 §4.3 that follow the parsing of a proof, one function each. Times are seconds since 1970.
enum DPoPRules {
  /// Number 4.
  static func checkType(_ header: JWSHeader) throws(DPoPProofError) {
    guard header.isType(DPoPProof.type) else { throw .typeMismatch }
  }

  /// RFC 7515 §4.1.11.
  static func checkCritical(_ header: JWSHeader) throws(DPoPProofError) {
    guard !header.hasCriticalParameters else { throw .criticalHeader }
  }

  /// Number 5.
  static func checkAlgorithm(
    _ header: JWSHeader, allowed: Set<DPoPAlgorithm>
  ) throws(DPoPProofError) -> DPoPAlgorithm {
    guard let algorithm = DPoPAlgorithm(rawValue: header.algorithm), allowed.contains(algorithm) else {
      throw .algorithmNotAllowed
    }
    return algorithm
  }

  /// Number 3: an identifier that a store of seen ones can keep.
  static func checkIdentifier(_ claims: DPoPClaims) throws(DPoPProofError) {
    guard (1...256).contains(claims.identifier.utf8.count) else { throw .identifierInvalid }
  }

  /// Number 8.
  static func checkMethod(_ claims: DPoPClaims, _ target: DPoPTarget) throws(DPoPProofError) {
    guard claims.method.utf8.elementsEqual(target.method.utf8) else { throw .methodMismatch }
  }

  /// Number 9: equal after normalisation, and nobody looks at query or fragment.
  static func checkURL(_ claims: DPoPClaims, _ target: DPoPTarget) throws(DPoPProofError) {
    guard let url = DPoPTarget(method: claims.method, url: claims.url)?.url, url.utf8.elementsEqual(target.url.utf8) else {
      throw .urlMismatch
    }
  }

  /// Number 10: one of the nonces that are good at this moment, where the server gives any.
  static func checkNonce(_ claims: DPoPClaims, _ nonces: [String]?) throws(DPoPProofError) {
    guard let nonces else { return }
    guard let nonce = claims.nonce else { throw .nonceMissing }
    guard nonces.contains(where: { constantTimeEqual($0.utf8, nonce.utf8) }) else { throw .nonceMismatch }
  }

  /// Number 11: not older than the maximum age, and no further in the future than clocks differ (§11.1).
  ///
  /// Where the proof repeats a nonce (number 10), the nonce shows when the proof was made, so that the client's clock does not matter.
  static func checkIssuedAt(
    _ claims: DPoPClaims, hasNonce: Bool, now: Double, maximumAge: Double, leeway: Double
  ) throws(DPoPProofError) {
    guard !hasNonce else { return }
    guard claims.issuedAt <= now + leeway else { throw .issuedInFuture }
    guard claims.issuedAt > now - maximumAge else { throw .tooOld }
  }

  /// Number 12, first half.
  static func checkAccessTokenHash(_ claims: DPoPClaims, _ accessToken: Secret<String>?) throws(DPoPProofError) {
    guard let accessToken else { return }
    guard let claim = claims.accessTokenHash else { throw .accessTokenHashMissing }
    guard constantTimeEqual(claim.utf8, DPoPProof.hash(accessToken).utf8) else { throw .accessTokenHashMismatch }
  }

  /// Number 12, second half; for a code §10, for a refresh token of a public client §5.
  static func checkThumbprint(_ key: DPoPPublicKey, _ thumbprint: String?) throws(DPoPProofError) {
    guard let thumbprint else { return }
    guard constantTimeEqual(key.thumbprint.utf8, thumbprint.utf8) else { throw .keyMismatch }
  }
}
