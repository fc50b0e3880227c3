package import SallyportProtocol

/// The claims of an access token (RFC 9068 §2.2).
package struct AccessTokenClaims: Codable, Sendable, Equatable {
  package var issuer: String
  package var subject: String
  package var audience: Audience
  package var expiration: Int64
  package var issuedAt: Int64
  package var id: String
  package var clientID: String
  package var scope: String
  /// Nil for client credentials, because there is no user.
  package var authenticationTime: Int64?
  /// The grant of the token, which shows whether it was revoked; nil for client credentials.
  package var grant: String?
  package var authenticationContext: String?
  package var authenticationMethods: [String]?
  /// The `cnf` claim (RFC 9449 §6).
  package var confirmation: TokenConfirmation?

  private enum CodingKeys: String, CodingKey {
    case issuer = "iss"
    case subject = "sub"
    case audience = "aud"
    case expiration = "exp"
    case issuedAt = "iat"
    case id = "jti"
    case clientID = "client_id"
    case scope
    case authenticationTime = "auth_time"
    case grant = "grant_id"
    case authenticationContext = "acr"
    case authenticationMethods = "amr"
    case confirmation = "cnf"
  }
}
