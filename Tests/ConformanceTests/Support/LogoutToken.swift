import HTTPTestSupport
import HTTPTypes
import JWTKit
import SallyportProtocol

/// A logout token whose signature was verified. The tests check its claims.
struct LogoutToken: JWTPayload, Sendable {
  struct Event: Codable, Sendable {}

  let iss: String
  let sub: String?
  let sid: String?
  let aud: Audience
  let iat: Int64
  let exp: Int64
  let jti: String
  let events: [String: Event]
  let nonce: String?

  /// Required by `JWTPayload`. Does nothing, because the tests check the claims.
  func verify(using algorithm: some JWTAlgorithm) {}

  static func verified(_ text: String, on site: Site) async throws -> LogoutToken {
    let keys = try await site.send(.get, "/jwks.json").body
    return try await JWTKeyCollection().add(jwksJSON: keys).verify(text, as: LogoutToken.self)
  }
}
