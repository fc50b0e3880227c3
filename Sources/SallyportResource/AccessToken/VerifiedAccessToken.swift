#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import SallyportProtocol

/// An access token that passed every check for this API: a value exists for no other.
public struct VerifiedAccessToken: Sendable {
  public let issuer: Issuer
  /// `sub`: the person, or the client where it acts for itself. Unique at the issuer only (RFC 9068 §5).
  public let subject: String
  /// `client_id`
  public let clientID: String
  /// What was granted; for what the person may do themselves see your own data.
  public let scope: Scope
  /// `aud`
  public let audience: [String]
  /// `jti`
  public let id: String?
  public let expiration: Timestamp?
  /// `auth_time`: when the person signed in.
  public let authenticationTime: Timestamp?
  /// `acr`: the class of authentication that was reached.
  public let authenticationContext: String?
  /// `amr`: how the person authenticated.
  public let authenticationMethods: [String]
  /// `cnf`: the key that the token is bound to, RFC 9449 §6; the request has proved to have it. Nil for a bearer token.
  public let keyThumbprint: String?
  /// The JSON of all claims.
  private let payload: [UInt8]

  /// The claims in a type of your own, for those that only your issuer has.
  /// - Throws: `DecodingError`
  public func claims<Claims: Decodable>(as type: Claims.Type = Claims.self) throws -> Claims {
    try JSONDecoder().decode(type, from: Data(self.payload))
  }

  init(_ claims: AccessTokenClaims, issuer: Issuer, payload: [UInt8]) throws(AccessTokenError) {
    for identifier in [claims.subject, claims.clientID, claims.id] { try AccessTokenRules.checkIdentifier(identifier) }
    self.issuer = issuer
    self.subject = claims.subject
    self.clientID = claims.clientID
    self.scope = try AccessTokenRules.scope(claims.scope)
    self.audience = claims.audience.values
    self.id = claims.id
    self.expiration = Timestamp(claim: claims.expiration)
    self.authenticationTime = claims.authenticationTime.map(Timestamp.init(claim:))
    self.authenticationContext = claims.authenticationContext
    self.authenticationMethods = claims.authenticationMethods ?? []
    self.keyThumbprint = claims.confirmation?.keyThumbprint
    self.payload = payload
  }

  /// What the issuer told of an opaque token.
  init(_ answer: IntrospectionAnswer, issuer: Issuer, payload: [UInt8]) throws(AccessTokenError) {
    // RFC 7662 §2.2 leaves all of them out where the server likes; without either, nobody knows whom the token is about.
    guard let clientID = answer.clientID ?? answer.subject, let subject = answer.subject ?? answer.clientID else {
      throw .claimsMalformed
    }
    for identifier in [subject, clientID] { try AccessTokenRules.checkIdentifier(identifier) }
    self.issuer = issuer
    self.subject = subject
    self.clientID = clientID
    self.scope = try AccessTokenRules.scope(answer.scope)
    self.audience = answer.audience?.values ?? []
    self.id = answer.id
    self.expiration = answer.expiration.map(Timestamp.init(claim:))
    self.authenticationTime = answer.authenticationTime.map(Timestamp.init(claim:))
    self.authenticationContext = answer.authenticationContext
    self.authenticationMethods = answer.authenticationMethods ?? []
    self.keyThumbprint = answer.confirmation?.keyThumbprint
    self.payload = payload
  }
}

extension Timestamp {
  /// Of a claim, which is a stranger's number: one beyond the range ends at its last moment.
  init(claim seconds: Double) {
    let milliseconds = (seconds * 1000).rounded(.down)
    self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
  }
}
