/// The signature algorithms of credentials, with their numbers in the COSE Algorithms registry (WebAuthn L3 §5.8.5).
package enum COSEAlgorithm: Int64, CaseIterable, Hashable, Sendable, Codable {
  /// ECDSA with P-256 and SHA-256.
  case es256 = -7
  /// EdDSA with Ed25519.
  case edDSA = -8
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = -257
}
