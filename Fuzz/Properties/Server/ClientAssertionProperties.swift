import SallyportProtocol
import SallyportServer

/// Properties of the validation of client assertions (RFC 7523).
///
/// An input of two lines is a header and a payload; the fuzzer signs them with the client's key. An input of one line
/// is a complete assertion with its signature.
enum ClientAssertionProperties {
  /// - Returns: Whether the token endpoint accepted the assertion.
  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let token = FuzzKeys.token(input), let fixture = FuzzServer.shared, await self.isAccepted(token, fixture) else {
      return false
    }
    try require(FuzzKeys.isSignedWithOwnKey(token), "an accepted assertion was signed by the client")
    guard let (header, claims, hasCritical) = TokenClaims.read(token) else {
      throw Violation(of: "an accepted token can be parsed")
    }
    try require(
      !hasCritical && ["ES256", "EdDSA"].contains(header.alg), "the header has a supported algorithm and no critical parameters")
    try require(
      haveSameBytes(claims.iss, FuzzServer.signer) && haveSameBytes(claims.sub, FuzzServer.signer),
      "RFC 7523 §3: the client is the issuer and the subject")
    let audiences = [FuzzServer.issuer, "\(FuzzServer.issuer)\(EndpointPath.token)"]
    let isForUs = claims.aud?.values.contains { audience in audiences.contains { haveSameBytes(audience, $0) } } ?? false
    try require(isForUs, "RFC 7523 §3: this server is an audience")
    try require(claims.exp != nil && claims.isValid(leeway: 30), "the assertion is valid now, with a leeway of 30 s")
    try require(claims.exp ?? .infinity <= Double(FuzzKeys.now.seconds) + 3600, "the assertion expires within an hour")
    try require(
      (1...256).contains(claims.jti?.utf8.count ?? 0), "the assertion has an identifier, which allows the server to detect reuse")
    // Only an input of two lines can be signed with another key.
    guard FuzzKeys.parts(input) != nil, let forged = FuzzKeys.token(input, by: .other) else { return true }
    try require(await !self.isAccepted(forged, fixture), "the same assertion signed with another key is rejected")
    return true
  }

  /// Whether the token endpoint issues a token for the assertion.
  private static func isAccepted(_ token: String, _ fixture: FuzzServer) async -> Bool {
    let body = FormParameters.encode([
      ("grant_type", "client_credentials"), ("client_assertion", token),
      ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
    ])
    return
      (try? await fixture.server.token.respond(to: body, authorization: nil, origin: .request("fuzz", from: nil), from: .unknown))
      != nil
  }
}
