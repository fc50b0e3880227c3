/// A client's public keys (RFC 7591 §2), which verify its assertions and request objects.
public enum ClientKeys: Sendable, Hashable {
  /// `jwks`: a JWK Set as JSON text.
  case inline(String)
  /// `jwks_uri`: the URL of the JWK Set.
  case remote(String)
}
