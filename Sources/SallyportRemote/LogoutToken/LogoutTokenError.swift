/// Why a logout token is invalid (OpenID Connect Back-Channel Logout §2.6). No case contains the value of a claim.
package enum LogoutTokenError: Error, Equatable, Sendable {
  /// The token is not a JWS in compact serialization, or its payload lacks a required claim.
  case malformed
  /// `typ` names another kind of token, or the header requires an unsupported extension (`crit`).
  case headerNotAllowed
  /// The signature algorithm is `none`, an HMAC, or unsupported, or the issuer's metadata doesn't list it.
  case algorithmNotAllowed
  /// There is no key to verify the signature with.
  case key(JWKSError)
  case signatureInvalid
  case issuerMismatch
  /// The client is not among the audiences.
  case audienceMismatch
  case expired
  /// `iat` is too long ago or in the future.
  case notRecent
  /// The `events` claim does not identify the token as a logout token.
  case eventMissing
  /// The token has a `nonce`, as ID tokens do.
  case noncePresent
  /// There is neither `sub` nor `sid`, or one of them is not 1 to 255 printable ASCII characters.
  case userMissing
}
