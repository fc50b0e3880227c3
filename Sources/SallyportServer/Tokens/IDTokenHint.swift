package import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An ID token of this server that a client sends back as `id_token_hint` to identify a user or itself (OpenID Connect
/// Core §3.1.2.1, RP-Initiated Logout §2).
///
/// The ID token may have expired. It must have `exp` and `iat` (Core §2). A signed userinfo response of this server has
/// neither, so it is not accepted as an ID token.
package struct IDTokenHint: Sendable, Equatable {
  package let account: AccountID
  package let client: ClientID
  /// The `sid` of the ID token (Back-Channel Logout §2.1); nil if it was not issued in a browser session.
  package let sessionID: String?

  private struct Claims: Decodable {
    let iss: String
    let sub: String
    let aud: Audience
    let exp: Int64
    let iat: Int64
    let sid: String?
  }

  /// Returns the signing keys with which a hint can be verified.
  static func keyRing(for text: String, in cache: ConfigurationCache) async throws(KeyRingError) -> KeyRing {
    guard let keyID = Self.idToken(text)?.header.keyID else { return try await cache.keyRing() }
    return try await cache.keyRing(containing: keyID)
  }

  /// Decodes a text that claims to be an ID token.
  private static func idToken(_ text: String) -> JWSCompact? {
    guard let jws = try? JWSCompact(text, maximumLength: 16 << 10), !jws.header.hasCriticalParameters,
      jws.header.isType(JWSSerializer.TokenType.idToken.rawValue)
    else { return nil }
    return jws
  }

  /// - Returns: Nil for anything other than an ID token that this server signed with a key that it still keeps.
  package init?(_ text: String, ring: KeyRing, issuer: Issuer) {
    guard let jws = Self.idToken(text), let keyID = jws.header.keyID,
      let key = ring.hintKey(id: keyID), key.algorithm.rawValue == jws.header.algorithm,
      key.isValid(jws.signature, for: jws.signingInput),
      let claims = try? JSONDecoder().decode(Claims.self, from: Data(jws.payload)),
      claims.iss.utf8.elementsEqual(issuer.value.utf8),
      let client = claims.aud.values.first
    else { return nil }
    self.account = AccountID(rawValue: claims.sub)
    self.client = ClientID(rawValue: client)
    self.sessionID = claims.sid
  }
}
