/// The claims of an ID token, OpenID Connect Core §2, with the standard profile claims that Sallyport issues and shows (§5.1).
public struct IDTokenClaims: Codable, Sendable, Equatable {
  public var issuer: String
  public var subject: String
  public var audience: Audience
  /// Seconds since 1970, as the other times here.
  public var expiration: Double
  public var issuedAt: Double
  public var authenticationTime: Double?
  public var nonce: String?
  public var authorizedParty: String?
  public var accessTokenHash: String?
  public var name: String?
  public var preferredUsername: String?
  public var email: String?
  public var emailVerified: Bool?

  public init(issuer: String, subject: String, audience: Audience, expiration: Double, issuedAt: Double) {
    self.issuer = issuer
    self.subject = subject
    self.audience = audience
    self.expiration = expiration
    self.issuedAt = issuedAt
  }

  package enum CodingKeys: String, CodingKey {
    case issuer = "iss"
    case subject = "sub"
    case audience = "aud"
    case expiration = "exp"
    case issuedAt = "iat"
    case authenticationTime = "auth_time"
    case nonce
    case authorizedParty = "azp"
    case accessTokenHash = "at_hash"
    case name
    case preferredUsername = "preferred_username"
    case email
    case emailVerified = "email_verified"
  }
}
