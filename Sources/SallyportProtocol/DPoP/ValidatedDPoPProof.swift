#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A proof that passed the checks of RFC 9449 §4.3, except for rule 1 (a request has only one proof), which
/// ``DPoPProof/proof(in:)`` checks. The caller must then check whether the proof was used before (§11.1), because that
/// check requires storage.
package struct ValidatedDPoPProof: Hashable, Sendable {
  /// The key that the sender has proven to possess.
  package let key: DPoPPublicKey
  /// The `jti`. Store it with the key until ``expiration``, and reject a proof that has the same key and `jti` (§11.1).
  package let identifier: String
  /// The time from which the proof would be rejected even if it had never been used, because the proof is too old or
  /// its nonce is no longer valid.
  package let expiration: Timestamp

  /// Verifies a proof.
  /// - Parameters:
  ///   - proof: The value of the `DPoP` field.
  ///   - expectations: What the proof must match.
  /// - Throws: ``DPoPProofError``
  package init(_ proof: String, expecting expectations: DPoPExpectations, at now: Timestamp) throws(DPoPProofError) {
    let jws = try Self.split(proof)
    try DPoPRules.checkType(jws.header)
    try DPoPRules.checkCritical(jws.header)
    let algorithm = try DPoPRules.checkAlgorithm(jws.header, allowed: expectations.algorithms)
    self.key = try Self.key(of: jws, for: algorithm)
    guard self.key.isValid(signature: jws.signature, of: jws.signingInput) else { throw .signatureInvalid }
    guard let claims = try? JSONDecoder().decode(DPoPClaims.self, from: Data(jws.payload)) else { throw .claimsMalformed }
    try Self.check(claims, expectations, at: now)
    try DPoPRules.checkThumbprint(self.key, expectations.keyThumbprint)
    self.identifier = claims.identifier
    // Without a nonce, `iat` was just compared with the clock, so neither the conversion nor the sum can overflow. With
    // a nonce, `iat` was not checked and may be any number, so the expiration is computed from the current time.
    self.expiration =
      expectations.nonces == nil
      ? Timestamp(milliseconds: Int64(claims.issuedAt * 1000)) + expectations.maximumAge
      : now + max(expectations.maximumAge, DPoPNonceSource.lifetime)
  }

  private static func check(
    _ claims: DPoPClaims, _ expectations: DPoPExpectations, at now: Timestamp
  ) throws(DPoPProofError) {
    try DPoPRules.checkIdentifier(claims)
    try DPoPRules.checkMethod(claims, expectations.target)
    try DPoPRules.checkURL(claims, expectations.target)
    try DPoPRules.checkAccessTokenHash(claims, expectations.accessToken)
    // The nonce is checked before `iat`, so that a client whose clock is wrong receives a nonce. A proof with a nonce
    // is accepted whatever its `iat` is.
    try DPoPRules.checkNonce(claims, expectations.nonces)
    try DPoPRules.checkIssuedAt(
      claims, hasNonce: expectations.nonces != nil, now: Double(now.milliseconds) / 1000,
      maximumAge: Double(expectations.maximumAge.milliseconds) / 1000,
      leeway: Double(expectations.leeway.milliseconds) / 1000)
  }

  private static func split(_ proof: String) throws(DPoPProofError) -> JWSCompact {
    do {
      return try JWSCompact(proof, maximumLength: 8 << 10)
    } catch {
      throw .malformed(error)
    }
  }

  private static func key(of jws: JWSCompact, for algorithm: DPoPAlgorithm) throws(DPoPProofError) -> DPoPPublicKey {
    struct Header: Decodable { let jwk: DPoPKeyJSON }
    guard let header = try? JSONDecoder().decode(Header.self, from: Data(jws.headerBytes)) else { throw .keyMalformed }
    return try DPoPPublicKey(header.jwk, for: algorithm)
  }
}
