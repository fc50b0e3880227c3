import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import SallyportRemote

/// Verifies access tokens of the issuers that an API trusts: JWTs by their signature and claims (RFC 9068 §4), opaque
/// tokens, and JWTs of issuers whose policy says so, by introspection.
struct AccessTokenVerifier: Sendable {
  let issuers: [IssuerAccess]
  /// The audience that identifies this API.
  let identifier: String
  /// The tolerated clock difference, in seconds.
  let leeway: Double
  let now: TimeSource
  /// Verified tokens by their SHA-256 hash.
  let cache: SharedCache<SHA256Digest, CachedAccessToken>

  /// How long a verified signature is cached. During this time, the signature is not verified again. Instead, the
  /// verifier checks that the issuer has a key with the identifier and algorithm in the token's header. If the header
  /// names no key, or if the identifier now belongs to a different key, a token whose key was removed can be accepted
  /// until this time has passed.
  private static let signatureLifetime: Duration = .seconds(30)

  func verify(_ token: Secret<String>) async throws(AccessTokenError) -> VerifiedAccessToken {
    let digest = SHA256.hash(data: Array(token.reveal().utf8))
    if let cachedToken = self.cache[digest], (.zero..<Self.signatureLifetime).contains(self.now() - cachedToken.checkedAt) {
      // The key may have been withdrawn in the meantime, and the token may have expired.
      _ = try await cachedToken.issuer.key(id: cachedToken.key.id, algorithm: cachedToken.key.algorithm)
      try self.checkTime(cachedToken.validity)
      return try await self.checkActive(cachedToken.token, token, digest, cachedToken.issuer)
    }
    let jws: JWSCompact
    do {
      jws = try JWSCompact(token.reveal())
    } catch {
      // Opaque tokens are sent to at most one issuer, so that issuers do not receive each other's tokens.
      guard let issuer = self.issuers.first(where: { $0.introspection?.checksOpaqueTokens ?? false }) else {
        throw .malformed(error)
      }
      return try await self.introspect(token, digest, issuer)
    }
    if let issuer = self.decidingIssuer(of: jws) { return try await self.introspect(token, digest, issuer) }
    let entry = try await self.entry(for: jws)
    if jws.payload.count <= ResourceLimits.maximumCachedSize { self.cache[digest] = entry }
    return try await self.checkActive(entry.token, token, digest, entry.issuer)
  }

  /// Verifies a JWT by its signature and claims.
  /// - Returns: The cache entry for the token.
  private func entry(for jws: JWSCompact) async throws(AccessTokenError) -> CachedAccessToken {
    try AccessTokenRules.checkType(jws.header)
    try AccessTokenRules.checkCritical(jws.header)
    guard let claims = try? JSONDecoder().decode(AccessTokenClaims.self, from: Data(jws.payload)) else { throw .claimsMalformed }
    // The claims are not verified yet: the signature is checked below, with a key of the issuer that the claims name.
    let issuer = try self.issuer(named: claims.issuer)
    try AccessTokenRules.checkAlgorithm(jws.header, allowed: issuer.algorithms)
    let key = try await issuer.key(id: jws.header.keyID, algorithm: jws.header.algorithm)
    guard jws.isSigned(by: key) else { throw .signatureInvalid }
    try AccessTokenRules.checkAudience(claims.audience, self.identifier)
    let validity = CachedAccessToken.Validity(
      expiration: claims.expiration, notBefore: claims.notBefore, issuedAt: claims.issuedAt)
    try self.checkTime(validity)
    return CachedAccessToken(
      token: try VerifiedAccessToken(claims, issuer: issuer.issuer, payload: jws.payload), issuer: issuer, validity: validity,
      key: (jws.header.keyID, jws.header.algorithm), checkedAt: self.now())
  }

  private func issuer(named name: String) throws(AccessTokenError) -> IssuerAccess {
    guard let issuer = self.issuers.first(where: { $0.issuer.value.utf8.elementsEqual(name.utf8) }) else {
      throw .issuerNotTrusted
    }
    return issuer
  }

  private func checkTime(_ validity: CachedAccessToken.Validity) throws(AccessTokenError) {
    let now = Double(self.now().milliseconds) / 1000
    if let expiration = validity.expiration {
      try AccessTokenRules.checkExpiration(expiration, now: now, leeway: self.leeway)
    }
    try AccessTokenRules.checkNotBefore(validity.notBefore, now: now, leeway: self.leeway)
    if let issuedAt = validity.issuedAt {
      try AccessTokenRules.checkIssuedAt(issuedAt, now: now, leeway: self.leeway)
    }
  }

  /// If the issuer's introspection policy applies to every token, also checks that the token is active.
  private func checkActive(
    _ verified: VerifiedAccessToken, _ token: Secret<String>, _ digest: SHA256Digest, _ issuer: IssuerAccess
  ) async throws(AccessTokenError) -> VerifiedAccessToken {
    guard let introspection = issuer.introspection, introspection.checksEveryToken else { return verified }
    guard try await introspection.response(about: token, digest, isOpaque: false).active else { throw .inactive }
    return verified
  }

  /// The issuer that a JWT names, if the introspection response of this issuer alone decides about the JWT.
  private func decidingIssuer(of jws: JWSCompact) -> IssuerAccess? {
    struct Claims: Decodable { var iss: String }
    guard self.issuers.contains(where: { $0.introspection?.decidesAlone ?? false }),
      let name = (try? JSONDecoder().decode(Claims.self, from: Data(jws.payload)))?.iss,
      let issuer = try? self.issuer(named: name), issuer.introspection?.decidesAlone ?? false
    else { return nil }
    return issuer
  }

  /// Verifies a token, such as an opaque token, only by introspection.
  private func introspect(
    _ token: Secret<String>, _ digest: SHA256Digest, _ issuer: IssuerAccess
  ) async throws(AccessTokenError) -> VerifiedAccessToken {
    guard let introspection = issuer.introspection else { throw .issuerNotTrusted }
    let response = try await introspection.response(about: token, digest, isOpaque: true)
    guard response.active else { throw .inactive }
    try AccessTokenRules.checkUse(response)
    // `iss` is optional (RFC 7662 §2.2).
    guard response.issuer.map({ $0.utf8.elementsEqual(issuer.issuer.value.utf8) }) ?? true else { throw .issuerNotTrusted }
    try AccessTokenRules.checkAudience(response.audience ?? Audience([]), self.identifier)
    try self.checkTime(
      CachedAccessToken.Validity(expiration: response.expiration, notBefore: response.notBefore, issuedAt: response.issuedAt))
    return try VerifiedAccessToken(response, issuer: issuer.issuer, payload: response.payload)
  }
}
