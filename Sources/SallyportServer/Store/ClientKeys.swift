/// A client's public keys, RFC 7591 §2: with them it signs assertions and request objects.
public enum ClientKeys: Sendable, Hashable {
  /// `jwks`: a JWK Set as JSON text.
  case inline(String)
  /// `jwks_uri`: where the JWK Set is.
  case remote(String)
}
