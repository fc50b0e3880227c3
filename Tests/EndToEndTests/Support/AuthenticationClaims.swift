import Foundation
import SallyportProtocol
import Testing

/// The claims of an ID token about the authentication of the user.
struct AuthenticationClaims: Decodable {
  var acr: String
  var amr: [String]

  /// Reads the claims without verifying the token.
  init(ofIDToken idToken: String) throws {
    let payload = try JWSCompact(idToken).payload
    self = try JSONDecoder().decode(Self.self, from: Data(payload))
  }
}
