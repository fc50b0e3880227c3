/// Why a proof is invalid (RFC 9449 §4.3). No case contains a part of the proof.
public enum DPoPProofError: Error, Equatable, Sendable {
  /// The request has more than one `DPoP` field.
  case repeated
  case malformed(JWSError)
  case typeMismatch
  /// The header requires an unsupported extension (`crit`).
  case criticalHeader
  /// The algorithm is `none`, an HMAC, or one that the server doesn't accept.
  case algorithmNotAllowed
  /// The header has no `jwk`, the key type or a coordinate is missing, a member of the `jwk` is malformed, or the key
  /// is not a point on its curve.
  case keyMalformed
  /// The key's type, curve, `alg`, or `use` does not fit the algorithm of the proof.
  case keyUnsuitable
  /// The header contains a private key.
  case privateKey
  case signatureInvalid
  /// The payload is not valid JSON, or a required claim is missing.
  case claimsMalformed
  /// `jti` is empty or longer than 256 bytes.
  case identifierInvalid
  case methodMismatch
  case urlMismatch
  case tooOld
  case issuedInFuture
  case accessTokenHashMissing
  case accessTokenHashMismatch
  case nonceMissing
  case nonceMismatch
  /// The proof is valid, but its key is not the one to which the code or token is bound.
  case keyMismatch

  /// The error code of the response (RFC 9449 §5 and §8).
  public var code: OAuthErrorCode {
    switch self {
    case .nonceMissing, .nonceMismatch: .useDPoPNonce
    default: .invalidDPoPProof
    }
  }
}
