package import SallyportProtocol
import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Verifies this server's own access tokens (RFC 9068 §4).
package struct AccessTokenVerifier: Sendable {
  let store: any Store
  let issuer: Issuer
  let cache: ConfigurationCache
  let verifiedTokens: SharedCache<Fingerprint, VerifiedToken>
  let now: TimeSource

  /// Returns the claims of an unexpired token that this server signed with a key that is still published; nil for any
  /// other text.
  ///
  /// The caller must check the audience, and call ``status(of:)`` to find out whether the token was revoked.
  package func claims(of token: Secret<String>) async throws(KeyRingError) -> AccessTokenClaims? {
    let fingerprint = Fingerprint(of: token)
    let (ring, now) = (try await self.cache.keyRing(), self.now())
    if let cached = self.verifiedTokens[fingerprint] {
      return ring.key(id: cached.keyID) != nil && now.seconds < cached.claims.expiration ? cached.claims : nil
    }
    guard let verified = try await self.verify(token, with: ring, at: now) else { return nil }
    self.verifiedTokens[fingerprint] = verified
    return verified.claims
  }

  /// Verifies a token with the cached keys and, if none of them has its `kid`, with the keys in the store.
  private func verify(
    _ token: Secret<String>, with ring: KeyRing, at now: Timestamp
  ) async throws(KeyRingError) -> VerifiedToken? {
    if let verified = Self.verify(token, with: ring, issuer: self.issuer, at: now) { return verified }
    // A key that the ring contains, published or not, need not be searched for in the store.
    guard let keyID = Self.accessToken(token)?.header.keyID, ring.hintKey(id: keyID) == nil else { return nil }
    return Self.verify(token, with: try await self.cache.keyRing(containing: keyID), issuer: self.issuer, at: now)
  }

  /// Decodes a token that claims to be an access token of RFC 9068.
  private static func accessToken(_ token: Secret<String>) -> JWSCompact? {
    guard let jws = try? JWSCompact(token.reveal()), jws.header.type == JWSSerializer.TokenType.accessToken.rawValue,
      !jws.header.hasCriticalParameters
    else { return nil }
    return jws
  }

  /// Verifies a token without side effects. The key with the token's `kid` determines the algorithm, so the
  /// token's `alg` cannot choose another one.
  static func verify(
    _ token: Secret<String>, with ring: KeyRing, issuer: Issuer, at now: Timestamp
  ) -> VerifiedToken? {
    guard let jws = Self.accessToken(token), let keyID = jws.header.keyID, let key = ring.key(id: keyID),
      jws.header.algorithm == key.algorithm.rawValue, key.isValid(jws.signature, for: jws.signingInput),
      let claims = try? JSONDecoder().decode(AccessTokenClaims.self, from: Data(jws.payload)),
      claims.issuer == issuer.value, now.seconds < claims.expiration
    else { return nil }
    return VerifiedToken(claims: claims, keyID: keyID)
  }
}

/// An access token whose signature has been verified.
final class VerifiedToken: Sendable {
  let claims: AccessTokenClaims
  /// The key that signed the token, which may be withdrawn before the token expires.
  let keyID: String

  init(claims: AccessTokenClaims, keyID: String) {
    self.claims = claims
    self.keyID = keyID
  }
}
