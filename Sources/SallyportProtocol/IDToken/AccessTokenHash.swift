import Crypto

/// The `at_hash` claim, OpenID Connect Core §3.1.3.6: the left half of the access token's hash, in base64url.
package enum AccessTokenHash {
  /// - Returns: nil for a signature algorithm that does not tell its hash.
  package static func of(_ accessToken: Secret<String>, algorithm: String) -> String? {
    let bytes = Array(accessToken.reveal().utf8)
    // EdDSA with Ed25519 hashes with SHA-512 (RFC 8032 §5.1), and so do those who issue at_hash with it.
    switch algorithm == "EdDSA" ? "512" : algorithm.suffix(3) {
    case "256": return Base64URL.encode(Array(SHA256.digest(of: bytes).prefix(16)))
    case "384": return Base64URL.encode(Array(SHA384.hash(data: bytes)).prefix(24))
    case "512": return Base64URL.encode(Array(SHA512.hash(data: bytes)).prefix(32))
    default: return nil
    }
  }
}
