import SallyportProtocol
import Testing

@testable import SallyportServer

private let hostileTexts = [
  "", "plain", "a/b", "\"quoted\"", "back\\slash", "\u{8}\u{9}\u{A}\u{C}\u{D}", "\u{0}\u{1}\u{B}\u{E}\u{1F}\u{7F}",
  "\u{2028}\u{2029}",
  "ä€😀", "e\u{301}", "\u{301}alone", "</script>", "\u{FFFD}\u{FEFF}", String(repeating: "x\n", count: 300),
]

@Suite("JSONObjectWriter produces the same bytes as JSONEncoder")
struct WireObjectTests {
  /// Returns the bytes that `JSONEncoder` produces. `WireJSON.encode` has two overloads: here it uses `JSONEncoder`,
  /// because the type of the parameter is only `Encodable`, and in `check` it uses `JSONObjectWriter`.
  private static func reference(_ value: some Encodable) throws -> [UInt8] { try WireJSON.encode(value) }

  private static func check(_ value: some WireObject, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let (written, reference) = (WireJSON.encode(value), try Self.reference(value))
    #expect(
      written == reference, "\(String(decoding: written, as: UTF8.self)), not \(String(decoding: reference, as: UTF8.self))",
      sourceLocation: sourceLocation)
  }

  @Test(
    "access tokens, introspection responses, and token responses, with and without optional members, with hostile text",
    arguments: hostileTexts)
  func texts(text: String) throws {
    var access = AccessTokenClaims(
      issuer: text, subject: text, audience: Audience([text]), expiration: 1_800_000_000, issuedAt: -1, id: text, clientID: text,
      scope: text)
    try Self.check(access)
    access.audience = Audience([text, "second"])
    access.authenticationTime = .max
    access.grant = text
    access.authenticationContext = text
    access.authenticationMethods = [text, text]
    access.confirmation = TokenConfirmation(keyThumbprint: text)
    try Self.check(access)
    try Self.check(IntrospectionResponse.inactive)
    try Self.check(IntrospectionResponse(access, username: text))
    try Self.check(IntrospectionResponse(access, username: nil))
    try Self.check(
      TokenResponseJSON(TokenResponse(accessToken: Secret(text), tokenType: text, expiresIn: nil)))
    try Self.check(
      TokenResponseJSON(
        TokenResponse(
          accessToken: Secret(text), tokenType: text, expiresIn: 600, refreshToken: Secret(text), scope: "openid email",
          idToken: Secret(text))))
  }

  @Test("the claims of ID tokens and of userinfo, with hostile text", arguments: hostileTexts)
  func claims(text: String) throws {
    var token = IDTokenClaims(
      issuer: text, subject: text, audience: Audience([]), expiration: 1_800_000_000, issuedAt: 0.25)
    try Self.check(token)
    token.audience = Audience([text])
    (token.authenticationTime, token.nonce, token.authorizedParty, token.accessTokenHash) = (-2, text, text, text)
    (token.authenticationContext, token.authenticationMethods, token.sessionID) = (text, [], text)
    (token.name, token.preferredUsername, token.email, token.emailVerified) = (text, text, text, false)
    try Self.check(token)
    var claims = UserinfoEndpoint.Claims(sub: text)
    try Self.check(claims)
    (claims.name, claims.preferredUsername, claims.email, claims.emailVerified) = (text, text, text, true)
    (claims.iss, claims.aud) = (text, text)
    try Self.check(claims)
  }
}
