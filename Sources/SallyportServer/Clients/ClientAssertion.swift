import SallyportProtocol
import SallyportRemote

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A JWT with which a client says who it is, RFC 7523 §2.2 and §3.
package struct ClientAssertion: Sendable {
  /// The claims that are looked at.
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
  /// Who the assertion says that it is of; nothing is proved yet.
  package let clientID: String

  init(_ text: String) throws(ClientAssertionError) {
    guard let jws = try? JWSCompact(text, maximumLength: 16 << 10),
      let claims = try? JSONDecoder().decode(Claims.self, from: Data(jws.payload)), let subject = claims.sub, !subject.isEmpty
    else { throw .malformed }
    self.jws = jws
    self.claims = claims
    self.clientID = subject
  }

  /// `alg` values that are taken: asymmetric ones, RFC 7523 §5 with RFC 8725 §3.1.
  package static let algorithms = ["ES256", "ES384", "PS256", "EdDSA", "RS256"]
  /// How far two clocks may differ.
  static var leeway: Duration { .seconds(30) }
  /// How long an assertion may still be good: so long its `jti` has to be remembered.
  static var maximumLifetime: Duration { .seconds(3600) }

  /// All checks but the signature and the single use. Pure.
  /// - Parameter endpoints: the addresses that an assertion may name instead of the issuer.
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

  /// RFC 8725 §3.11: nothing that was made for another purpose, and no extension that is not understood.
  func checkHeader() throws(ClientAssertionError) {
    guard !self.jws.header.hasCriticalParameters else { throw .header }
    let isTyped = self.jws.header.type == nil || self.jws.header.isType("JWT")
    guard isTyped || self.jws.header.isType("client-authentication+jwt") else { throw .header }
  }

  func checkAlgorithm(of client: ClientRecord) throws(ClientAssertionError) {
    guard Self.algorithms.contains(self.jws.header.algorithm),
      client.details.assertionAlgorithm.map({ $0 == self.jws.header.algorithm }) ?? true
    else { throw .algorithm }
    // FAPI 2.0 Security Profile §5.4.1.
    guard !client.keepsSecurityProfile || ProfileAlgorithms.contain(self.jws.header.algorithm) else { throw .algorithm }
  }

  /// RFC 7523 §3 numbers 1 and 2.
  func checkParties(_ client: ClientRecord) throws(ClientAssertionError) {
    // Bytes, since Swift's own equality takes canonically equivalent texts for the same.
    for party in [self.claims.iss, self.claims.sub] {
      guard party?.utf8.elementsEqual(client.id.rawValue.utf8) ?? false else { throw .subject }
    }
  }

  /// RFC 7523 §3 number 3; and FAPI 2.0 Security Profile §5.3.2.1: the issuer alone and as a string, so that no other server to which
  /// the client was led can use the assertion here.
  func checkAudience(
    of client: ClientRecord, _ issuer: Issuer, _ endpoints: [String]
  ) throws(ClientAssertionError) {
    if client.keepsSecurityProfile {
      guard case .string? = JSONText.object(self.jws.payload)?["aud"] else { throw .audience }
    }
    let audiences = client.keepsSecurityProfile ? [issuer.value] : [issuer.value] + endpoints
    let isForUs = self.claims.aud?.values.contains { audience in audiences.contains { $0.utf8.elementsEqual(audience.utf8) } }
    guard isForUs ?? false else { throw .audience }
  }

  /// RFC 7523 §3 numbers 4 to 6.
  func checkTimes(at now: Timestamp) throws(ClientAssertionError) {
    let (now, leeway) = (Double(now.milliseconds) / 1000, Double(Self.leeway.components.seconds))
    guard let expiration = self.claims.exp, expiration > now - leeway else { throw .expired }
    guard expiration <= now + Double(Self.maximumLifetime.components.seconds) else { throw .lifetime }
    for begin in [self.claims.nbf, self.claims.iat] {
      guard begin.map({ $0 <= now + leeway }) ?? true else { throw .notYetValid }
    }
  }

  /// RFC 7523 §3 number 7, and OpenID Connect Core §9, which asks for it.
  func checkIdentifier() throws(ClientAssertionError) {
    guard let identifier = self.claims.jti, (1...256).contains(identifier.utf8.count) else { throw .identifier }
  }

  /// What is remembered, so that the assertion is used once.
  var useMark: Fingerprint {
    Fingerprint(of: Secret("client assertion\n\(self.clientID)\n\(self.claims.jti ?? "")"))
  }

  /// After this time no check would take it.
  var forgettable: Timestamp {
    Timestamp(seconds: Int64(self.claims.exp ?? 0)) + Self.leeway + .seconds(1)
  }
}

/// Which rule a client's assertion breaks.
package enum ClientAssertionError: Error, Equatable, Sendable {
  case type, malformed, header, algorithm, subject, audience, expired, lifetime, notYetValid, identifier
  /// The client's keys cannot be had, or none of them fits.
  case key
  case signature
  case replayed
}
