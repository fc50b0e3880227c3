package import SallyportProtocol

/// The claims of an access token (RFC 9068 §2.2). Times are in seconds since 1970.
package struct AccessTokenClaims: Codable, Sendable, Equatable {
  package var issuer: String
  package var subject: String
  package var audience: Audience
  package var expiration: Int64
  package var issuedAt: Int64
  package var id: String
  package var clientID: String
  /// Nil if there are no scope values.
  package var scope: String?
  /// Nil for client credentials, because there is no user.
  package var authenticationTime: Int64?
  /// The identifier of the grant, which the server looks up to check for revocation; nil for client credentials.
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

// Members are written in alphabetical order, as `WireObject` requires.
extension AccessTokenClaims: WireObject {
  package func write(to object: inout JSONObjectWriter) {
    object.add("acr", self.authenticationContext)
    object.add("amr", self.authenticationMethods)
    object.add("aud", self.audience)
    object.add("auth_time", self.authenticationTime)
    object.add("client_id", self.clientID)
    object.add("cnf", self.confirmation)
    object.add("exp", self.expiration)
    object.add("grant_id", self.grant)
    object.add("iat", self.issuedAt)
    object.add("iss", self.issuer)
    object.add("jti", self.id)
    object.add("scope", self.scope)
    object.add("sub", self.subject)
  }
}
