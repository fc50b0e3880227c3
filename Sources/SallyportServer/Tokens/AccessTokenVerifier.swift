package import SallyportProtocol
import Synchronization

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
  let verified: VerifiedTokenCache
  let now: TimeSource

  /// Returns the claims of a token that this server signed and that has not expired; nil for any other text.
  ///
  /// The caller must check the audience, and whether the grant was revoked, which is never cached.
  package func claims(of token: Secret<String>) async throws -> AccessTokenClaims? {
    let fingerprint = Fingerprint(of: token)
    let (ring, now) = (try await self.cache.keyRing(), self.now())
    if let known = self.verified[fingerprint] {
      return ring.key(id: known.keyID) != nil && now.seconds < known.claims.expiration ? known.claims : nil
    }
    guard let verified = Self.verify(token, with: ring, issuer: self.issuer, at: now) else { return nil }
    self.verified[fingerprint] = verified
    return verified.claims
  }

  private struct Header: Decodable {
    let alg: String
    let kid: String
    let typ: String
    let crit: [String]?
  }

  /// Verifies a token. Pure. The algorithm is that of the key with this `kid`, not one that the token chooses.
  static func verify(
    _ token: Secret<String>, with ring: KeyRing, issuer: Issuer, at now: Timestamp
  ) -> VerifiedTokenCache.Entry? {
    let parts = token.reveal().split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header: Header = self.decode(parts[0]), let signature = Base64URL.decode(parts[2]) else {
      return nil
    }
    guard header.typ == JWSSerializer.TokenType.accessToken.rawValue, header.crit == nil, let key = ring.key(id: header.kid),
      header.alg == key.algorithm.rawValue
    else { return nil }
    guard key.isValid(signature, for: Array("\(parts[0]).\(parts[1])".utf8)),
      let claims: AccessTokenClaims = self.decode(parts[1])
    else { return nil }
    guard claims.issuer == issuer.value, now.seconds < claims.expiration else { return nil }
    return VerifiedTokenCache.Entry(claims: claims, keyID: header.kid)
  }

  private static func decode<Value: Decodable>(_ part: Substring) -> Value? {
    Base64URL.decode(part).flatMap { try? JSONDecoder().decode(Value.self, from: Data($0)) }
  }
}

/// A cache of verified access tokens by fingerprint, with a maximum size. It is cleared when it is full.
final class VerifiedTokenCache: Sendable {
  final class Entry: Sendable {
    let claims: AccessTokenClaims
    /// The key that signed the token, which may be withdrawn before the token expires.
    let keyID: String

    init(claims: AccessTokenClaims, keyID: String) {
      self.claims = claims
      self.keyID = keyID
    }
  }

  private static let capacity = 10_000
  private let entries = Mutex<[Fingerprint: Entry]>([:])

  subscript(fingerprint: Fingerprint) -> Entry? {
    get { self.entries.withLock { $0[fingerprint] } }
    set {
      self.entries.withLock { entries in
        if entries.count >= Self.capacity { entries.removeAll(keepingCapacity: true) }
        entries[fingerprint] = newValue
      }
    }
  }
}
