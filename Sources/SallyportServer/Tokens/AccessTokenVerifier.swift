package import SallyportProtocol
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads this server's own access tokens, RFC 9068 §4.
package struct AccessTokenVerifier: Sendable {
  let store: any Store
  let issuer: Issuer
  let cache: ConfigurationCache
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

  /// Pure. The algorithm is the one of the key that `kid` names, never one that the token chooses.
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

/// The claims of access tokens whose signatures were checked, by fingerprint; bounded, and emptied when full.
final class VerifiedTokenCache: Sendable {
  final class Entry: Sendable {
    let claims: AccessTokenClaims
    /// A key may be withdrawn while tokens of it live.
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
