/// The claims of a logout token (OpenID Connect Back-Channel Logout §2.4). There is no `nonce`, so that the token
/// cannot be mistaken for an ID token.
struct LogoutTokenClaims: Encodable, Sendable {
  var issuer: String
  var subject: String
  var audience: String
  var issuedAt: Int64
  var expiration: Int64
  var id: String
  var sessionID: String
  /// The only event, whose value is an empty object.
  let events = [Self.event: [String: String]()]

  static let event = "http://schemas.openid.net/event/backchannel-logout"
  /// §2.4 recommends at most two minutes.
  static var lifetime: Duration { .seconds(120) }

  private enum CodingKeys: String, CodingKey {
    case issuer = "iss"
    case subject = "sub"
    case audience = "aud"
    case issuedAt = "iat"
    case expiration = "exp"
    case id = "jti"
    case sessionID = "sid"
    case events
  }
}
