#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import SallyportProtocol

/// An access token that has been verified for this API.
///
/// A property is `nil` if the token, or the introspection response for an opaque token, has no such claim.
public struct VerifiedAccessToken: Sendable {
  /// The issuer that signed the token or reported it as active.
  public let issuer: Issuer
  /// The `sub` claim: the user, or the client if it acts on its own behalf. Subjects are unique only within an issuer
  /// (RFC 7519 §4.1.2). If an introspection response has no `sub`, this is the client identifier.
  public let subject: String
  /// The `client_id` claim. If an introspection response has none, this is the subject.
  public let clientID: String
  /// The granted scope. It doesn't say what the user is allowed to do; check that with your own data.
  public let scope: Scope
  /// The `aud` claim.
  public let audience: [String]
  /// The `jti` claim.
  public let id: String?
  /// The `exp` claim: when the token expires.
  public let expiration: Timestamp?
  /// The `auth_time` claim: when the user authenticated.
  public let authenticationTime: Timestamp?
  /// The `acr` claim: the authentication context class.
  public let authenticationContext: String?
  /// The `amr` claim: the authentication methods.
  public let authenticationMethods: [String]
  /// The `jkt` of the `cnf` claim: the thumbprint of the key that the token is bound to (RFC 9449 §6). The sender of
  /// the request has proven possession of the key. `nil` for a bearer token.
  public let keyThumbprint: String?
  /// The JSON of all claims.
  private let payload: [UInt8]

  /// Decodes the claims as a type of your own, for claims that are specific to your issuer.
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

  /// Creates a token from the introspection response for an opaque token.
  init(_ response: IntrospectionResponse, issuer: Issuer, payload: [UInt8]) throws(AccessTokenError) {
    // `client_id` and `sub` are optional in RFC 7662 §2.2. If both are missing, it is unknown to whom the token was
    // issued.
    guard let clientID = response.clientID ?? response.subject, let subject = response.subject ?? response.clientID else {
      throw .claimsMalformed
    }
    for identifier in [subject, clientID] { try AccessTokenRules.checkIdentifier(identifier) }
    self.issuer = issuer
    self.subject = subject
    self.clientID = clientID
    self.scope = try AccessTokenRules.scope(response.scope)
    self.audience = response.audience?.values ?? []
    self.id = response.id
    self.expiration = response.expiration.map(Timestamp.init(claim:))
    self.authenticationTime = response.authenticationTime.map(Timestamp.init(claim:))
    self.authenticationContext = response.authenticationContext
    self.authenticationMethods = response.authenticationMethods ?? []
    self.keyThumbprint = response.confirmation?.keyThumbprint
    self.payload = payload
  }
}
