package import SallyportProtocol
import SallyportRemote
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads this server's own access tokens, RFC 9068 §4.
package struct AccessTokenVerifier<S: Store>: Sendable {
  let store: S
  let configuration: ServerConfiguration
  let cache: ConfigurationCache<S>
  let verified: VerifiedTokenCache
  let now: TimeSource

  /// The claims of a token that this server signed and that has not expired; nil for any other text.
  ///
  /// For whom it is (`aud`) and whether its grant was revoked is for the caller to look at; the latter is never cached.
  package func claims(of token: Secret<String>) async throws -> AccessTokenClaims? {
    let fingerprint = Fingerprint(of: token)
    let (ring, now) = (try await self.cache.keyRing(), self.now())
    if let known = self.verified[fingerprint] {
      return ring.key(id: known.keyID) != nil && now.seconds < known.claims.expiration ? known.claims : nil
    }
    guard let verified = Self.verify(token, with: ring, issuer: self.configuration.issuer, at: now) else { return nil }
    self.verified[fingerprint] = verified
    return verified.claims
  }

  /// Pure. The algorithm is the one of the key that `kid` names, never one that the token chooses.
  static func verify(
    _ token: Secret<String>, with ring: KeyRing, issuer: Issuer, at now: Timestamp
  ) -> VerifiedTokenCache.Entry? {
    guard let jws = try? JWSCompact(token.reveal()), let keyID = jws.header.keyID, let key = ring.key(id: keyID) else {
      return nil
    }
    guard jws.header.type == JWSSerializer.TokenType.accessToken.rawValue, !jws.header.hasCriticalParameters,
      jws.header.algorithm == key.algorithm.rawValue, key.isValid(jws.signature, for: jws.signingInput),
      let claims = try? JSONDecoder().decode(AccessTokenClaims.self, from: Data(jws.payload))
    else { return nil }
    guard claims.issuer == issuer.value, now.seconds < claims.expiration else { return nil }
    return VerifiedTokenCache.Entry(claims: claims, keyID: keyID)
  }
}

/// The claims of access tokens whose signatures were checked, by fingerprint.
final class VerifiedTokenCache: Sendable {
  struct Entry: Sendable {
    let claims: AccessTokenClaims
    /// A key may be withdrawn while tokens of it live.
    let keyID: String
  }

  private let entries = Mutex(BoundedCache<Fingerprint, Entry>(capacity: 10_000))

  subscript(fingerprint: Fingerprint) -> Entry? {
    get { self.entries.withLock { $0.value(for: fingerprint) } }
    set { self.entries.withLock { entries in newValue.map { entries.insert($0, for: fingerprint) } } }
  }
}
