/// The algorithms with which access tokens can be signed (RFC 7518 §3.1). RFC 9068 §2.1 requires authorization servers
/// to support RS256.
public enum AccessTokenAlgorithm: String, Sendable {
  /// ECDSA with P-256 and SHA-256. Signatures are small and fast.
  case es256 = "ES256"
  /// RSASSA-PKCS1-v1_5 with SHA-256, for APIs that support no other algorithm. A signature takes much longer, and a
  /// token is longer.
  case rs256 = "RS256"
}
