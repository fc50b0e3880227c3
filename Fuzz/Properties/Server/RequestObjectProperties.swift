import SallyportProtocol
import SallyportServer

/// Request objects, RFC 9101: two lines, header and payload, are signed with the client's key; one line is a token as it is.
enum RequestObjectProperties {
  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let token = FuzzKeys.token(input), let server = FuzzServer.shared else { return false }
    guard let interaction = await self.interaction(for: token, server) else { return false }
    try require(FuzzKeys.isOurs(token), "RFC 9101 §6: an accepted request object was signed by the client")
    guard let (header, claims, hasCritical) = TokenClaims.read(token) else { throw Violation("an accepted token can be read") }
    try require(!hasCritical && ["ES256", "EdDSA"].contains(header.alg), "its header asks for nothing strange")
    // Who signs says who asks, so that these may be absent (OpenID Connect Core §6.1); what is there has to be right.
    let isTheClients = claims.iss.map { isSame($0, "signerK") } ?? true
    try require(isTheClients && !isSame(claims.sub, "signerK"), "§10.8: the client's, and no assertion")
    let isForUs = claims.aud?.values.contains { isSame($0, FuzzServer.issuer) }
    try require(isForUs ?? true, "§5: it is for this server")
    try require(claims.isValid(leeway: 30), "it is good now")
    try require(interaction.redirect.client.id.rawValue == "signerK", "the request is the client's")
    try require(interaction.redirect.client.scope.contains(interaction.scope), "a client gets no more than it may have")
    guard FuzzKeys.parts(input) != nil, let forged = FuzzKeys.token(input, by: .stranger) else { return true }
    try require(await self.interaction(for: forged, server) == nil, "the same object with another signature is rejected")
    return true
  }

  private static func interaction(for token: String, _ server: FuzzServer) async -> Interaction? {
    // What stands beside the object counts for nothing.
    let query = FormParameters.encode([
      ("client_id", "signerK"), ("request", token), ("scope", "admin"), ("redirect_uri", "https://evil.example/"),
    ])
    guard case .success(.signIn(let interaction)) = await AuthorizationRequestProperties.begin(query, server) else { return nil }
    return interaction
  }
}
