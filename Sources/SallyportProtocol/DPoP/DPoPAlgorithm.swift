/// The signature algorithms that a DPoP proof may have, RFC 9449 §4.3 number 5: asymmetric ones, with short keys and fast checks.
///
/// There is no value for `none`, for an HMAC, and none for RSA: a proof goes with every request, its key was made for nothing else,
/// and checking strangers' RSA keys of any size is a way to keep a processor busy.
public enum DPoPAlgorithm: String, Sendable, CaseIterable {
  case es256 = "ES256"
  case es384 = "ES384"
  case edDSA = "EdDSA"

  /// `kty`, `crv`, and the length of a coordinate in bytes.
  var curve: (keyType: String, name: String, length: Int) {
    switch self {
    case .es256: ("EC", "P-256", 32)
    case .es384: ("EC", "P-384", 48)
    case .edDSA: ("OKP", "Ed25519", 32)
    }
  }
}
