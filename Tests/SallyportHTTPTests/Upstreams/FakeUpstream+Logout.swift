import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport

extension FakeUpstream {
  static let logoutEvent: JSONValue = ["http://schemas.openid.net/event/backchannel-logout": [:]]

  /// Returns a valid logout token for the user "subject-1".
  /// - Parameters:
  ///   - changes: Claims that replace the claims of a valid token, or remove them with nil.
  ///   - key: The key that signs the token; nil for the provider's own key.
  ///   - header: Members to add to the header, or to replace in it.
  func logoutToken(
    at site: Site, changing changes: [String: JSONValue?] = [:], key: TestSigningKey? = nil,
    header: [String: JSONValue] = ["typ": "logout+jwt"]
  ) throws -> String {
    let now = site.fixture.clock.now.seconds
    var claims: JSONValue = [
      "iss": .string(self.issuer.issuer.value), "sub": "subject-1", "aud": .string(Self.clientID), "iat": .integer(now),
      "exp": .integer(now + 120), "jti": .string(RandomText.base64URL(bits: 128)), "events": Self.logoutEvent,
    ]
    for (name, value) in changes { claims[name] = value }
    return try self.issuer.token(claims, key: key, header: header).reveal()
  }

  /// Sends a logout token to the server's URI for this provider.
  func send(logoutToken token: String, to site: Site, upstream: String? = nil) async throws -> Reply {
    try await site.post(
      "/upstream/\(upstream ?? self.id)/backchannel-logout", [("logout_token", token)])
  }
}
