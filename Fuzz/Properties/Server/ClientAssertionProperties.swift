import SallyportProtocol
import SallyportServer

/// Client assertions, RFC 7523: two lines, header and payload, are signed with the client's key; one line is a token as it is.
enum ClientAssertionProperties {
  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let token = FuzzKeys.token(input), let server = FuzzServer.shared, await self.isAccepted(token, server) else {
      return false
    }
    try require(FuzzKeys.isOurs(token), "an accepted assertion was signed by the client")
    guard let (header, claims, hasCritical) = TokenClaims.read(token) else { throw Violation("an accepted token can be read") }
    try require(!hasCritical && ["ES256", "EdDSA"].contains(header.alg), "its header asks for nothing strange")
    try require(isSame(claims.iss, "signerK") && isSame(claims.sub, "signerK"), "RFC 7523 §3: the client is issuer and subject")
    let audiences = [FuzzServer.issuer, "\(FuzzServer.issuer)\(EndpointPath.token)"]
    let isForUs = claims.aud?.values.contains { audience in audiences.contains { isSame(audience, $0) } } ?? false
    try require(isForUs, "RFC 7523 §3: it is for this server")
    try require(claims.exp != nil && claims.isValid(leeway: 30), "it is good now")
    try require(claims.exp ?? .infinity <= Double(FuzzKeys.now.seconds) + 3600, "and for a limited time")
    try require((1...256).contains(claims.jti?.utf8.count ?? 0), "it has an identifier, so that it counts once")
    guard FuzzKeys.parts(input) != nil, let forged = FuzzKeys.token(input, by: .stranger) else { return true }
    try require(await !self.isAccepted(forged, server), "the same assertion with another signature is rejected")
    return true
  }

  /// Whether the token endpoint gives a token for it.
  private static func isAccepted(_ token: String, _ server: FuzzServer) async -> Bool {
    let body = FormParameters.encode([
      ("grant_type", "client_credentials"), ("client_assertion", token),
      ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
    ])
    return (try? await server.server.token.respond(to: body, authorization: nil, from: .server, at: .unknown)) != nil
  }
}
