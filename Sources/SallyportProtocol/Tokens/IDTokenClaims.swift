/// The claims of an ID token (OpenID Connect Core §2), with the standard profile claims that Sallyport issues (§5.1).
public struct IDTokenClaims: Codable, Sendable, Equatable {
  /// `iss`: the issuer's identifier.
  public var issuer: String
  /// `sub`: the user's identifier, which is unique within the issuer.
  public var subject: String
  /// `aud`: the clients that the token is for.
  public var audience: Audience
  /// `exp`: when the token expires. All times in this type are in seconds since 1970.
  public var expiration: Double
  /// `iat`: when the token was issued.
  public var issuedAt: Double
  /// `auth_time`: when the user authenticated.
  public var authenticationTime: Double?
  /// The nonce of the authorization request.
  public var nonce: String?
  /// `azp`: the client to which the token was issued.
  public var authorizedParty: String?
  /// `at_hash`: the hash of the access token (§3.1.3.6).
  public var accessTokenHash: String?
  /// `acr`: the authentication context class that was achieved.
  public var authenticationContext: String?
  /// `amr`: how the user authenticated.
  public var authenticationMethods: [String]?
  /// `sid`: the user's session at the server (OpenID Connect Front-Channel Logout §3).
  public var sessionID: String?
  /// The user's full name.
  public var name: String?
  /// `preferred_username`: the name by which the user wants to be called. It need not be unique.
  public var preferredUsername: String?
  /// The user's language as a language tag (BCP 47). Other servers may send text that is not a language tag.
  package var locale: String?
  /// The user's email address.
  public var email: String?
  /// `email_verified`: whether the issuer verified the email address.
  public var emailVerified: Bool?

  /// Creates claims with the required members. Times are in seconds since 1970.
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
    case authenticationContext = "acr"
    case authenticationMethods = "amr"
    case sessionID = "sid"
    case name
    case preferredUsername = "preferred_username"
    case locale
    case email
    case emailVerified = "email_verified"
  }
}

extension IDTokenClaims {
  /// Decodes the claims. A profile claim, `amr`, or `sid` of an unexpected type counts as absent, because some issuers
  /// send `email_verified` as a string, for example. For all other claims, an unexpected type is an error.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.issuer = try container.decode(String.self, forKey: .issuer)
    self.subject = try container.decode(String.self, forKey: .subject)
    self.audience = try container.decode(Audience.self, forKey: .audience)
    self.expiration = try container.decode(Double.self, forKey: .expiration)
    self.issuedAt = try container.decode(Double.self, forKey: .issuedAt)
    self.authenticationTime = try container.decodeIfPresent(Double.self, forKey: .authenticationTime)
    self.nonce = try container.decodeIfPresent(String.self, forKey: .nonce)
    self.authorizedParty = try container.decodeIfPresent(String.self, forKey: .authorizedParty)
    self.accessTokenHash = try container.decodeIfPresent(String.self, forKey: .accessTokenHash)
    self.authenticationContext = try container.decodeIfPresent(String.self, forKey: .authenticationContext)
    self.authenticationMethods = try? container.decode([String].self, forKey: .authenticationMethods)
    self.sessionID = try? container.decode(String.self, forKey: .sessionID)
    self.name = try? container.decode(String.self, forKey: .name)
    self.locale = try? container.decode(String.self, forKey: .locale)
    self.preferredUsername = try? container.decode(String.self, forKey: .preferredUsername)
    self.email = try? container.decode(String.self, forKey: .email)
    self.emailVerified = try? container.decode(Bool.self, forKey: .emailVerified)
  }
}
