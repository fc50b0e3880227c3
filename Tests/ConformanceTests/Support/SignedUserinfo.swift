import Foundation
import HTTPTestSupport
import HTTPTypes
import JWTKit
import SallyportProtocol
import Testing

/// A userinfo response that is a JWT whose signature was verified.
struct SignedUserinfo: JWTPayload, Sendable {
  let iss: String
  let sub: String
  let aud: Audience

  /// Required by `JWTPayload`. Does nothing, because the tests check the claims.
  func verify(using algorithm: some JWTAlgorithm) {}

  static func verified(_ text: String, on site: Site) async throws -> SignedUserinfo {
    let keys = try await site.send(.get, "/jwks.json").body
    return try await JWTKeyCollection().add(jwksJSON: keys).verify(text, as: SignedUserinfo.self)
  }
}
