#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// An introspection response (RFC 7662 §2.2). Times are in seconds since 1970.
struct IntrospectionResponse: Decodable, Sendable {
  var active: Bool
  var scope: String?
  /// The kind of token, such as `access_token`, if the server reports it. RFC 7662 does not define this member.
  var tokenUse: String?
  var tokenType: String?
  var clientID: String?
  var expiration: Double?
  var issuedAt: Double?
  var notBefore: Double?
  var subject: String?
  var audience: Audience?
  var issuer: String?
  var id: String?
  var authenticationTime: Double?
  var authenticationContext: String?
  var authenticationMethods: [String]?
  var confirmation: TokenConfirmation?
  /// The original JSON.
  private(set) var payload: [UInt8] = []

  private enum CodingKeys: String, CodingKey {
    case active, scope
    case tokenUse = "token_use"
    case tokenType = "token_type"
    case clientID = "client_id"
    case expiration = "exp"
    case issuedAt = "iat"
    case notBefore = "nbf"
    case subject = "sub"
    case audience = "aud"
    case issuer = "iss"
    case id = "jti"
    case authenticationTime = "auth_time"
    case authenticationContext = "acr"
    case authenticationMethods = "amr"
    case confirmation = "cnf"
  }

  /// - Returns: `nil` if the JSON is not an introspection response.
  init?(json: [UInt8]) {
    guard var response = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
    response.payload = json
    self = response
  }
}
