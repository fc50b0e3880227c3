import SallyportProtocol
import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A JWT with which a client authenticates (RFC 7523 §2.2 and §3).
package struct ClientAssertion: Sendable {
  /// The claims that the checks use.
  struct Claims: Decodable, Sendable {
    var iss: String?
    var sub: String?
    var aud: Audience?
    var exp: Double?
    var nbf: Double?
    var iat: Double?
    var jti: String?
  }

  let jws: JWSCompact
  let claims: Claims
  /// The `sub` claim, which is not verified yet.
  package let clientID: String

  init(_ text: String) throws(ClientAssertionError) {
    guard let jws = try? JWSCompact(text, maximumLength: 16 << 10),
      let claims = try? JSONDecoder().decode(Claims.self, from: Data(jws.payload)), let subject = claims.sub, !subject.isEmpty
    else { throw .malformed }
    self.jws = jws
    self.claims = claims
    self.clientID = subject
  }

  /// The supported `alg` values of assertions and request objects. All are asymmetric (RFC 7523 §5, RFC 8725 §3.1).
  package static let algorithms = ["ES256", "ES384", "PS256", "EdDSA", "RS256"]
  /// The tolerated clock difference.
  static var leeway: Duration { .seconds(30) }
  /// The maximum remaining lifetime of an assertion, which limits how long its `jti` must be stored.
  static var maximumLifetime: Duration { .seconds(3600) }

  /// Checks everything except the signature and whether the assertion was used before, without side effects.
  /// - Parameter endpoints: The endpoint URLs that are accepted as the audience in addition to the issuer.
  func check(
    of client: ClientRecord, issuer: Issuer, endpoints: [String], at now: Timestamp
  ) throws(ClientAssertionError) {
    try self.checkHeader()
    try self.checkAlgorithm(of: client)
    try self.checkParties(client)
    try self.checkAudience(of: client, issuer, endpoints)
    try self.checkTimes(at: now)
    try self.checkIdentifier()
  }

  /// RFC 8725 §3.11: rejects any `typ` other than `JWT` and `client-authentication+jwt`, and critical header
  /// parameters, which are not supported.
  func checkHeader() throws(ClientAssertionError) {
    guard !self.jws.header.hasCriticalParameters else { throw .header }
    let isPlainJWT = self.jws.header.type == nil || self.jws.header.isType("JWT")
    guard isPlainJWT || self.jws.header.isType("client-authentication+jwt") else { throw .header }
  }

  func checkAlgorithm(of client: ClientRecord) throws(ClientAssertionError) {
    guard Self.algorithms.contains(self.jws.header.algorithm),
      client.details.assertionAlgorithm.map({ $0 == self.jws.header.algorithm }) ?? true
    else { throw .algorithm }
    // FAPI 2.0 Security Profile §5.4.1 allows only the algorithms in `FAPIAlgorithms`.
    guard !client.usesSecurityProfile || FAPIAlgorithms.allows(self.jws.header.algorithm) else { throw .algorithm }
  }

  /// RFC 7523 §3, rules 1 and 2: `iss` and `sub` must be the client ID.
  func checkParties(_ client: ClientRecord) throws(ClientAssertionError) {
    // Compare bytes, because `String` treats canonically equivalent text as equal.
    for party in [self.claims.iss, self.claims.sub] {
      guard party?.utf8.elementsEqual(client.id.rawValue.utf8) ?? false else { throw .subject }
    }
  }

  /// RFC 7523 §3, rule 3: `aud` must name this server. For FAPI clients, it must be a string with the issuer only, so
  /// that another server that receives the assertion cannot use it here (FAPI 2.0 Security Profile §5.3.2.1).
  func checkAudience(
    of client: ClientRecord, _ issuer: Issuer, _ endpoints: [String]
  ) throws(ClientAssertionError) {
    if client.usesSecurityProfile {
      guard case .string? = JSONValue.members(of: self.jws.payload)?["aud"] else { throw .audience }
    }
    let audiences = client.usesSecurityProfile ? [issuer.value] : [issuer.value] + endpoints
    let namesThisServer = self.claims.aud?.values.contains { audience in
      audiences.contains { $0.utf8.elementsEqual(audience.utf8) }
    }
    guard namesThisServer ?? false else { throw .audience }
  }

  /// RFC 7523 §3, rules 4 to 6: checks `exp`, `nbf`, and `iat`.
  func checkTimes(at now: Timestamp) throws(ClientAssertionError) {
    let (now, leeway) = (Double(now.milliseconds) / 1000, Double(Self.leeway.components.seconds))
    guard let expiration = self.claims.exp, expiration > now - leeway else { throw .expired }
    guard expiration <= now + Double(Self.maximumLifetime.components.seconds) + leeway else { throw .lifetime }
    for begin in [self.claims.nbf, self.claims.iat] {
      guard begin.map({ $0 <= now + leeway }) ?? true else { throw .notYetValid }
    }
  }

  /// RFC 7523 §3, rule 7, and OpenID Connect Core §9: the assertion must have a `jti`, which may be at most 256 bytes
  /// long.
  func checkIdentifier() throws(ClientAssertionError) {
    guard let identifier = self.claims.jti, (1...256).contains(identifier.utf8.count) else { throw .identifier }
  }

  /// The fingerprint that is stored so that the assertion can be used only once.
  var replayFingerprint: Fingerprint {
    Fingerprint(of: Secret("client assertion\n\(self.clientID)\n\(self.claims.jti ?? "")"))
  }

  /// The time from which the assertion is rejected as expired, so its fingerprint can be deleted.
  var replayExpiration: Timestamp {
    // The additional second rounds up a fraction in `exp`.
    Timestamp(seconds: Int64(self.claims.exp ?? 0)) + Self.leeway + .seconds(1)
  }
}

/// Why a client assertion is rejected. Most cases name the part of the assertion that is wrong; `type` is the parameter
/// `client_assertion_type`.
package enum ClientAssertionError: Error, Equatable, Sendable {
  case type, malformed, header, algorithm, subject, audience, expired, lifetime, notYetValid, identifier
  /// The client's keys could not be fetched, or no key matches.
  case key
  case signature
  case replayed
}
