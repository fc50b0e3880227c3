import Crypto

/// The `at_hash` claim: the left half of the access token's hash in base64url (OpenID Connect Core §3.1.3.6).
package enum AccessTokenHash {
  /// - Parameter algorithm: The signature algorithm of the ID token (`alg`).
  /// - Returns: `nil` if the signature algorithm does not determine a hash.
  package static func of(_ accessToken: Secret<String>, algorithm: String) -> String? {
    let bytes = Array(accessToken.reveal().utf8)
    // The names of most algorithms end with the size of their hash in bits, for example ES256. EdDSA is assumed
    // to mean Ed25519, which uses SHA-512 (RFC 8032 §5.1). Issuers that sign with EdDSA use SHA-512 for `at_hash`, too.
    let hashSize = algorithm == "EdDSA" ? "512" : algorithm.suffix(3)
    switch hashSize {
    case "256": return Base64URL.encode(Array(SHA256.digest(of: bytes).prefix(16)))
    case "384": return Base64URL.encode(Array(SHA384.hash(data: bytes)).prefix(24))
    case "512": return Base64URL.encode(Array(SHA512.hash(data: bytes)).prefix(32))
    default: return nil
    }
  }
}
