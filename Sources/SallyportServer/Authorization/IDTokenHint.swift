package import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An ID token of ours that somebody brings back to say whom or which client they mean: `id_token_hint`, OpenID Connect Core
/// §3.1.2.1 and RP-Initiated Logout §2. It may have expired; it must be ours, and an ID token: a signed userinfo answer, which is a
/// JWT of ours as well, has neither `exp` nor `iat` (Core §2 requires both).
package struct IDTokenHint: Sendable, Equatable {
  package let account: AccountID
  package let client: ClientID
  /// The session that the ID token was made in (Back-Channel Logout §2.1); nil where there was none.
  package let sessionID: String?

  private struct Claims: Decodable {
    let iss: String
    let sub: String
    let aud: Audience
    let exp: Int64
    let iat: Int64
    let sid: String?
  }

  /// Pure.
  /// - Returns: nil for anything that this server has not signed as an ID token.
  package init?(_ text: String, ring: KeyRing, issuer: Issuer) {
    guard let jws = try? JWSCompact(text, maximumLength: 16 << 10), !jws.header.hasCriticalParameters,
      jws.header.isType(JWSSerializer.TokenType.idToken.rawValue), let keyID = jws.header.keyID,
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
