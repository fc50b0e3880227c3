/// The supported signature algorithms of DPoP proofs (RFC 9449 §4.3, rule 5).
///
/// They are asymmetric, with short keys and fast verification. RSA is not supported, because untrusted clients could
/// send arbitrarily large keys, with which the verification of signatures would be expensive. Clients do not need RSA:
/// they create the key only for their proofs, so they can choose the algorithm.
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
