import SallyportProtocol
import SallyportServer

/// Properties of the validation of request objects (RFC 9101).
///
/// An input of two lines is a header and a payload, which are signed with the client's key. An input of one line is a
/// complete request object.
enum RequestObjectProperties {
  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let token = FuzzKeys.token(input), let fixture = FuzzServer.shared else { return false }
    guard let interaction = await self.interaction(for: token, fixture) else { return false }
    try require(FuzzKeys.isSignedWithOwnKey(token), "RFC 9101 §6: an accepted request object was signed by the client")
    guard let (header, claims, hasCritical) = TokenClaims.read(token) else {
      throw Violation(of: "an accepted token can be parsed")
    }
    try require(
      !hasCritical && ["ES256", "EdDSA"].contains(header.alg), "the header has a supported algorithm and no critical parameters")
    // OpenID Connect Core §6.1 recommends `iss` and `aud`, but does not require them. If present, they must match.
    let isIssuedByClient = claims.iss.map { haveSameBytes($0, FuzzServer.signer) } ?? true
    try require(
      isIssuedByClient && !haveSameBytes(claims.sub, FuzzServer.signer),
      "RFC 9101 §10.8: iss, if present, is the client; sub is not the client, so a client assertion is rejected")
    let isForUs = claims.aud?.values.contains { haveSameBytes($0, FuzzServer.issuer) }
    try require(isForUs ?? true, "RFC 9101 §4: aud, if present, contains this server")
    try require(claims.isValid(leeway: 30), "the request object is valid now, with a leeway of 30 s")
    try require(interaction.redirect.client.id.rawValue == FuzzServer.signer, "the request is for the client that signed it")
    try require(
      interaction.redirect.client.scope.contains(interaction.parameters.scope), "the scope is limited to the client's scope")
    // An input of one line is a complete token, which cannot be signed again with another key.
    guard FuzzKeys.parts(input) != nil, let forged = FuzzKeys.token(input, by: .other) else { return true }
    try require(await self.interaction(for: forged, fixture) == nil, "the same object signed with another key is rejected")
    return true
  }

  private static func interaction(for token: String, _ fixture: FuzzServer) async -> Interaction? {
    // The parameters of an accepted request object replace the parameters in the query, so neither this scope nor this
    // redirect URI may have an effect.
    let query = FormParameters.encode([
      ("client_id", FuzzServer.signer), ("request", token), ("scope", "admin"), ("redirect_uri", "https://evil.example/"),
    ])
    guard case .success(.signIn(let interaction)) = await AuthorizationRequestProperties.begin(query, fixture) else { return nil }
    return interaction
  }
}
