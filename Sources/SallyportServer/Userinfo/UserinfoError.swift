/// An error of the userinfo endpoint (RFC 6750 §3.1, RFC 9449 §7.1).
package enum UserinfoError: Error, Equatable, Sendable {
  case tokenMissing
  /// The request contains more than one token, or a malformed form.
  case malformedRequest
  /// The token is invalid, expired, revoked, intended for a different audience, or not issued for a user; or the user's
  /// account is disabled.
  case invalidToken
  /// A token that is bound to a key was sent with the Bearer scheme, or an unbound token with the DPoP scheme.
  case wrongScheme
  case proofMissing
  case proof(DPoPError)
  /// The scope of the token does not include `openid`.
  case insufficientScope
  case storage(StoreError)
  case signing

  init(_ error: KeyRingError) {
    if case .storage(let error) = error { self = .storage(error) } else { self = .signing }
  }
}
