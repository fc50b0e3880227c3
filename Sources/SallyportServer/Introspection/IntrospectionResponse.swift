package import SallyportProtocol

/// A response of the introspection endpoint (RFC 7662 §2.2).
package struct IntrospectionResponse: Encodable, Sendable, Equatable {
  package var active: Bool
  package var scope: String?
  package var clientID: String?
  package var username: String?
  package var tokenType: String?
  package var expiration: Int64?
  package var issuedAt: Int64?
  package var subject: String?
  package var audience: Audience?
  package var issuer: String?
  package var id: String?
  package var authenticationTime: Int64?
  package var confirmation: TokenConfirmation?
  /// The `acr` (RFC 9470 §6.2).
  package var authenticationContext: String?
  /// The `amr` (RFC 8176).
  package var authenticationMethods: [String]?

  private enum CodingKeys: String, CodingKey {
    case active, scope, username
    case clientID = "client_id"
    case tokenType = "token_type"
    case expiration = "exp"
    case issuedAt = "iat"
    case subject = "sub"
    case audience = "aud"
    case issuer = "iss"
    case id = "jti"
    case authenticationTime = "auth_time"
    case confirmation = "cnf"
    case authenticationContext = "acr"
    case authenticationMethods = "amr"
  }

  /// The response for an invalid token, and for a token about which the client must not learn anything. The client
  /// cannot tell the two cases apart (§2.2).
  package static let inactive = IntrospectionResponse(active: false)

  private init(active: Bool) {
    self.active = active
  }

  init(_ claims: AccessTokenClaims, username: String?) {
    self.init(active: true)
    self.scope = claims.scope
    self.clientID = claims.clientID
    self.username = username
    self.tokenType = claims.confirmation == nil ? "Bearer" : "DPoP"
    self.expiration = claims.expiration
    self.issuedAt = claims.issuedAt
    self.subject = claims.subject
    self.audience = claims.audience
    self.issuer = claims.issuer
    self.id = claims.id
    self.authenticationTime = claims.authenticationTime
    self.confirmation = claims.confirmation
    self.authenticationContext = claims.authenticationContext
    self.authenticationMethods = claims.authenticationMethods
  }

  init(_ token: RefreshTokenRecord, _ grant: GrantRecord, issuer: Issuer) {
    self.init(active: true)
    self.scope = grant.scope.description
    self.clientID = grant.client.rawValue
    self.expiration = token.expiresAt.seconds
    self.issuedAt = token.issuedAt.seconds
    self.subject = grant.account.rawValue
    self.issuer = issuer.value
    self.confirmation = grant.jkt.map { TokenConfirmation(keyThumbprint: $0) }
    self.authenticationTime = grant.authenticatedAt.seconds
    self.authenticationContext = grant.authenticationContext
    self.authenticationMethods = grant.authenticationMethods.isEmpty ? nil : grant.authenticationMethods
  }
}

// Members are written in alphabetical order.
extension IntrospectionResponse: WireObject {
  package func write(to object: inout JSONObjectWriter) {
    object.add("acr", self.authenticationContext)
    object.add("active", self.active)
    object.add("amr", self.authenticationMethods)
    object.add("aud", self.audience)
    object.add("auth_time", self.authenticationTime)
    object.add("client_id", self.clientID)
    object.add("cnf", self.confirmation)
    object.add("exp", self.expiration)
    object.add("iat", self.issuedAt)
    object.add("iss", self.issuer)
    object.add("jti", self.id)
    object.add("scope", self.scope)
    object.add("sub", self.subject)
    object.add("token_type", self.tokenType)
    object.add("username", self.username)
  }
}
