/// Which rule of RFC 9449 §4.3 a proof breaks. No case carries a part of the proof.
public enum DPoPProofError: Error, Equatable, Sendable {
  /// More than one `DPoP` field.
  case repeated
  case malformed(JWSError)
  case typeMismatch
  /// The header demands an extension (`crit`) that is not understood here.
  case criticalHeader
  /// `none`, an HMAC, or an algorithm that the receiver does not list.
  case algorithmNotAllowed
  /// The header has no `jwk`, or one that is no point of its curve.
  case keyMalformed
  /// The key is for another algorithm or use.
  case keyUnsuitable
  /// The header gives the private key away.
  case privateKey
  case signatureInvalid
  /// The payload is not the JSON of a proof, or lacks a claim that is required.
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
  /// A good proof of another key than the one that the code or token is bound to.
  case keyMismatch

  /// `error` of the answer, RFC 9449 §5 and §8.
  public var code: OAuthErrorCode {
    switch self {
    case .nonceMissing, .nonceMismatch: .useDPoPNonce
    default: .invalidDPoPProof
    }
  }
}
