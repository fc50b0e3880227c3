import Crypto
import Foundation
import HTTPTestSupport
import HTTPTypes
import JWTKit
import SallyportProtocol
import Testing

/// An ID token that JWTKit verified with the keys that the server publishes.
struct IDToken: JWTPayload, Sendable {
  /// The encoded token.
  var text = ""
  /// The `kid` of the key that signed the token.
  var keyID = ""
  let iss: String
  let sub: String
  let aud: Audience
  let exp: Int64
  let iat: Int64
  let nonce: String?
  let authTime: Int64?
  let accessTokenHash: String?
  let name: String?
  let email: String?
  let acr: String?
  let sid: String?

  private enum CodingKeys: String, CodingKey {
    case iss, sub, aud, exp, iat, nonce, name, email, acr, sid
    case authTime = "auth_time"
    case accessTokenHash = "at_hash"
  }

  /// Checks nothing, because ``verified(_:for:accessToken:sourceLocation:)`` checks the claims, with the test's clock.
  func verify(using algorithm: some JWTAlgorithm) {}

  /// Validates the token as a client does (OpenID Connect Core §3.1.3.7).
  static func verified(
    _ text: String, for party: RelyingParty, accessToken: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> IDToken {
    let keys = try await party.site.send(.get, "/jwks.json").body
    let jwks = try JSONDecoder().decode(JWKS.self, from: Data(keys.utf8))
    let header = try Self.header(of: text)
    let key = try #require(jwks.find(identifier: header.kid)?.first, "the kid is not published", sourceLocation: sourceLocation)
    #expect(header.alg == party.algorithm, sourceLocation: sourceLocation)
    var token = try await JWTKeyCollection().add(jwk: key).verify(text, as: IDToken.self)
    #expect(token.iss == party.site.issuer.value, sourceLocation: sourceLocation)
    #expect(token.aud.values == [party.id], sourceLocation: sourceLocation)
    #expect(token.exp > party.site.now && token.iat <= party.site.now, sourceLocation: sourceLocation)
    if let accessToken, let hash = token.accessTokenHash {
      // `at_hash` is the first half of the digest (OpenID Connect Core §3.1.3.6).
      let half = SHA256.hash(data: Data(accessToken.utf8)).prefix(16)
      #expect(hash == Base64URL.encode(half), sourceLocation: sourceLocation)
    }
    token.text = text
    token.keyID = header.kid
    return token
  }

  private struct Header: Decodable {
    var alg: String
    var kid: String
  }

  private static func header(of text: String) throws -> Header {
    let part = try #require(text.split(separator: ".").first)
    return try JSONDecoder().decode(Header.self, from: Data(try #require(Base64URL.decode(part))))
  }
}
