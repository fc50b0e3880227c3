import SallyportProtocol
import SallyportServer

/// Properties of the validation of `id_token_hint` (OpenID Connect Core §3.1.2.1).
///
/// An input of two lines is a header and a payload, which are signed with the server's key. `{kid}` is replaced by the
/// key's identifier. An input of one line is a complete token.
enum IDTokenHintProperties {
  /// - Returns: Whether the hint was accepted.
  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let fixture = FuzzServer.shared, let ring = try? await fixture.server.cache.keyRing(),
      let token = self.token(input, fixture), let hint = self.hint(token, ring, fixture)
    else { return false }
    guard let (header, claims, hasCritical) = TokenClaims.read(token) else {
      throw Violation(of: "an accepted token can be parsed")
    }
    try require(
      !hasCritical && header.alg == "ES256" && haveSameBytes(header.kid, fixture.key.id),
      "the header names the server's key and its algorithm, and has no critical extension")
    try require(
      header.typ?.lowercased() == "jwt" || header.typ?.lowercased() == "application/jwt", "the type is JWT")
    try require(haveSameBytes(claims.iss, FuzzServer.issuer), "this server is the issuer")
    try require(haveSameBytes(claims.sub, hint.account.rawValue), "the user is the token's subject")
    try require(haveSameBytes(claims.aud?.values.first, hint.client.rawValue), "the client is the token's first audience")
    let parts = token.split(separator: ".")
    let bytes = Array("\(parts[0]).\(parts[1])".utf8)
    try require(
      fixture.key.isValid(Base64URL.decode(parts[2]) ?? [], for: bytes), "an accepted token was signed with the server's key")
    // Only an input of two lines has `parts`, which can be signed again.
    guard FuzzKeys.parts(input) != nil else { return true }
    let forged = FuzzKeys.signature(bytes, by: .other).map { "\(parts[0]).\(parts[1]).\(Base64URL.encode($0))" } ?? ""
    try require(self.hint(forged, ring, fixture) == nil, "the same token signed with another key is rejected")
    return true
  }

  private static func hint(_ token: String, _ ring: KeyRing, _ fixture: FuzzServer) -> IDTokenHint? {
    IDTokenHint(token, ring: ring, issuer: fixture.server.configuration.issuer)
  }

  private static func token(_ input: [UInt8], _ fixture: FuzzServer) -> String? {
    guard let (header, payload) = FuzzKeys.parts(input) else { return String(validating: input, as: UTF8.self) }
    guard let text = String(validating: header, as: UTF8.self) else { return nil }
    let headerWithKeyID = text.split(separator: "{kid}", omittingEmptySubsequences: false).joined(separator: fixture.key.id)
    let signed = "\(Base64URL.encode(headerWithKeyID.utf8)).\(Base64URL.encode(payload))"
    return (try? fixture.key.signature(for: Array(signed.utf8))).map { "\(signed).\(Base64URL.encode($0))" }
  }
}
