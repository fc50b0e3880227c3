#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol

/// Verifies logout tokens of one issuer for one client (OpenID Connect Back-Channel Logout §2.6).
///
/// The caller must remember ``LogoutToken/id``, so that each token is accepted only once.
package struct LogoutTokenVerifier: Sendable {
  /// The maximum age of a token. It can be short, because a provider sends a token as soon as it is issued, and issues
  /// a new token for each retry.
  package static var maximumAge: Duration { .seconds(300) }

  private let issuer: Issuer
  private let tenants: TenantPolicy?
  private let clientID: String
  private let keys: JWKSCache
  private let allowedAlgorithms: [String]?
  private let leeway: Duration
  private let now: TimeSource

  /// - Parameters:
  ///   - tenants: The tenants (organizations, for example at Microsoft) whose issuers are accepted instead of `issuer`,
  ///     or `nil` to accept only `issuer`.
  ///   - allowedAlgorithms: The algorithms that the issuer announces for ID tokens, or `nil` to allow every supported
  ///     asymmetric algorithm. `none` and symmetric algorithms are never allowed.
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

  /// Verifies a logout token and returns its claims.
  /// - Throws: ``LogoutTokenError``, which names the violated rule.
  package func verify(_ token: String) async throws(LogoutTokenError) -> LogoutToken {
    guard let jws = try? JWSCompact(token) else { throw .malformed }
    let header = jws.header
    // §2.4 recommends `logout+jwt`. Providers that existed before this recommendation send `JWT` or nothing.
    guard header.type == nil || header.isType("logout+jwt") || header.isType("JWT"), !header.hasCriticalParameters else {
      throw .headerNotAllowed
    }
    guard SignatureAlgorithm(rawValue: header.algorithm) != nil, self.allowedAlgorithms?.contains(header.algorithm) ?? true
    else { throw .algorithmNotAllowed }
    let key: VerificationKey
    do throws(JWKSError) { key = try await self.keys.key(id: header.keyID, algorithm: header.algorithm) } catch {
      throw .key(error)
    }
    guard jws.isSigned(by: key) else { throw .signatureInvalid }
    guard let claims = try? JSONDecoder().decode(LogoutClaims.self, from: Data(jws.payload)), !claims.id.isEmpty else {
      throw .malformed
    }
    guard self.hasExpectedIssuer(claims, keyIssuer: key.issuer) else { throw .issuerMismatch }
    guard claims.audience.values.contains(where: { $0.utf8.elementsEqual(self.clientID.utf8) }) else { throw .audienceMismatch }
    try self.checkTimes(claims)
    guard case .object? = claims.events[Self.event] else { throw .eventMissing }
    guard !claims.hasNonce else { throw .noncePresent }
    let identifiers = [claims.subject, claims.sessionID].compactMap(\.self)
    guard !identifiers.isEmpty, identifiers.allSatisfy(LogoutToken.isValid(identifier:)) else { throw .userMissing }
    let end = Timestamp(milliseconds: Int64(claims.issuedAt * 1_000)) + Self.maximumAge + self.leeway
    return LogoutToken(
      issuer: claims.issuer, subject: claims.subject, sessionID: claims.sessionID, id: claims.id, forgettableAt: end)
  }

  private static var event: String { "http://schemas.openid.net/event/backchannel-logout" }

  private func hasExpectedIssuer(_ claims: LogoutClaims, keyIssuer: String?) -> Bool {
    guard let tenants = self.tenants else { return claims.issuer.utf8.elementsEqual(self.issuer.value.utf8) }
    guard let tenant = claims.tenant, let issuer = tenants.issuer(of: tenant), let keyIssuer else { return false }
    return claims.issuer.utf8.elementsEqual(issuer.utf8)
      && tenants.issuer(ofKey: keyIssuer, tenant: tenant).utf8.elementsEqual(issuer.utf8)
  }

  /// Checks `iat`, and `exp` if it is present. Earlier versions of the specification did not require `exp`.
  private func checkTimes(_ claims: LogoutClaims) throws(LogoutTokenError) {
    let now = Double(self.now().milliseconds) / 1_000
    let leeway = Double(self.leeway.milliseconds) / 1_000
    guard claims.expiration.map({ now < $0 + leeway }) ?? true else { throw .expired }
    let oldest = now - Double(Self.maximumAge.milliseconds) / 1_000 - leeway
    guard claims.issuedAt > oldest, claims.issuedAt <= now + leeway else { throw .notRecent }
  }
}

/// The claims of a logout token (§2.4) before they are checked.
private struct LogoutClaims: Decodable {
  let issuer: String
  let audience: Audience
  let issuedAt: Double
  let expiration: Double?
  let id: String
  let subject: String?
  let sessionID: String?
  let events: [String: JSONValue]
  let hasNonce: Bool
  /// The `tid`: the user's tenant at Microsoft.
  let tenant: String?

  private enum CodingKeys: String, CodingKey {
    case issuer = "iss"
    case audience = "aud"
    case issuedAt = "iat"
    case expiration = "exp"
    case id = "jti"
    case subject = "sub"
    case sessionID = "sid"
    case events, nonce
    case tenant = "tid"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.issuer = try container.decode(String.self, forKey: .issuer)
    self.audience = try container.decode(Audience.self, forKey: .audience)
    self.issuedAt = try container.decode(Double.self, forKey: .issuedAt)
    self.expiration = try container.decodeIfPresent(Double.self, forKey: .expiration)
    self.id = try container.decode(String.self, forKey: .id)
    self.subject = try container.decodeIfPresent(String.self, forKey: .subject)
    self.sessionID = try container.decodeIfPresent(String.self, forKey: .sessionID)
    self.events = try container.decodeIfPresent([String: JSONValue].self, forKey: .events) ?? [:]
    self.hasNonce = container.contains(.nonce)
    self.tenant = try container.decodeIfPresent(String.self, forKey: .tenant)
  }
}
