/// The accepted signature algorithms, all asymmetric (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// There is no value for `none` or for HMAC algorithms, with which a public key could be misused as a shared secret.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case edDSA = "EdDSA"

  /// The `kty` of keys for this algorithm.
  var keyType: String {
    switch self {
    case .es256, .es384, .es512: "EC"
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
    case .edDSA: "OKP"
    }
  }

  /// The `crv` of keys for this algorithm, and the length of a coordinate in bytes. `nil` for RSA.
  var curve: (name: String, length: Int)? {
    switch self {
    case .es256: ("P-256", 32)
    case .es384: ("P-384", 48)
    case .es512: ("P-521", 66)
    case .edDSA: ("Ed25519", 32)
    default: nil
    }
  }
}
