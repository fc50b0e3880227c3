import SallyportProtocol

/// The claims that are read from an access token (RFC 9068 §2.2). Times are in seconds since 1970.
struct AccessTokenClaims: Decodable {
  var issuer: String
  var subject: String
  var audience: Audience
  var expiration: Double
  var issuedAt: Double
  var notBefore: Double?
  /// The `jti` claim.
  var id: String
  var clientID: String
  var scope: String?
  var authenticationTime: Double?
  /// The `acr` claim.
  var authenticationContext: String?
  /// The `amr` claim.
  var authenticationMethods: [String]?
  /// The `cnf` claim. Decoding fails for an unsupported confirmation method, such as a certificate, because a bound
  /// token must not be used as a bearer token.
  var confirmation: TokenConfirmation?

  private enum CodingKeys: String, CodingKey {
    case issuer = "iss"
    case subject = "sub"
    case audience = "aud"
    case expiration = "exp"
    case issuedAt = "iat"
    case notBefore = "nbf"
    case id = "jti"
    case clientID = "client_id"
    case scope
    case authenticationTime = "auth_time"
    case authenticationContext = "acr"
    case authenticationMethods = "amr"
    case confirmation = "cnf"
  }
}
