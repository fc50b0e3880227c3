import SallyportProtocol

/// The claims of an access token that are looked at, RFC 9068 §2.2. Times are seconds since 1970.
struct AccessTokenClaims: Decodable {
  var issuer: String
  var subject: String
  var audience: Audience
  var expiration: Double
  var issuedAt: Double
  var notBefore: Double?
  /// `jti`
  var id: String
  var clientID: String
  var scope: String?
  var authenticationTime: Double?
  /// `acr`
  var authenticationContext: String?
  /// `amr`
  var authenticationMethods: [String]?
  /// A confirmation of another kind, as of a certificate, fails to be read: a token is not good without what it is bound to.
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
