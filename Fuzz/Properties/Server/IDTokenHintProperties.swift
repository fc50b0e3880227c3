import SallyportProtocol
import SallyportServer

/// Properties of the validation of `id_token_hint` (OpenID Connect Core §3.1.2.1).
///
/// An input of two lines is a header and a payload, which are signed with the server's key. `{kid}` is replaced by the
/// key's identifier. An input of one line is a complete token.
enum IDTokenHintProperties {
  /// - Returns: Whether the hint was accepted.
  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let server = FuzzServer.shared, let ring = try? await server.server.cache.keyRing(),
      let token = self.token(input, server), let hint = self.hint(token, ring, server)
    else { return false }
    guard let (header, claims, hasCritical) = TokenClaims.read(token) else { throw Violation("an accepted token can be parsed") }
    try require(
      !hasCritical && header.alg == "ES256" && haveSameBytes(header.kid, server.key.id), "the header names the server's key")
    try require(
      header.typ?.lowercased() == "jwt" || header.typ?.lowercased() == "application/jwt", "the type is that of an ID token")
    try require(haveSameBytes(claims.iss, FuzzServer.issuer), "this server is the issuer")
    try require(haveSameBytes(claims.sub, hint.account.rawValue), "the user is the token's subject")
    try require(haveSameBytes(claims.aud?.values.first, hint.client.rawValue), "the client is the token's first audience")
    let parts = token.split(separator: ".")
    let bytes = Array("\(parts[0]).\(parts[1])".utf8)
    try require(
      server.key.isValid(Base64URL.decode(parts[2]) ?? [], for: bytes), "an accepted token was signed with the server's key")
    guard FuzzKeys.parts(input) != nil else { return true }
    let forged = FuzzKeys.signature(bytes, by: .other).map { "\(parts[0]).\(parts[1]).\(Base64URL.encode($0))" } ?? ""
    try require(self.hint(forged, ring, server) == nil, "the same token signed with another key is rejected")
    return true
  }

  private static func hint(_ token: String, _ ring: KeyRing, _ server: FuzzServer) -> IDTokenHint? {
    IDTokenHint(token, ring: ring, issuer: server.server.configuration.issuer)
  }

  private static func token(_ input: [UInt8], _ server: FuzzServer) -> String? {
    guard let (header, payload) = FuzzKeys.parts(input) else { return String(validating: input, as: UTF8.self) }
    guard let text = String(validating: header, as: UTF8.self) else { return nil }
    let named = text.split(separator: "{kid}", omittingEmptySubsequences: false).joined(separator: server.key.id)
    let signed = "\(Base64URL.encode(named.utf8)).\(Base64URL.encode(payload))"
    return (try? server.key.signature(for: Array(signed.utf8))).map { "\(signed).\(Base64URL.encode($0))" }
  }
}
