/// Whether tokens are bound to a key of this installation (DPoP, RFC 9449), so that a stolen token cannot be used.
public enum DPoPPolicy: Sendable, Hashable, CaseIterable {
  /// Tokens are bound if the server's metadata lists `ES256` for DPoP. If such a server still returns a `Bearer` token,
  /// the token is used as a bearer token (§5).
  case whenOffered
  /// Tokens are always bound. If the server doesn't offer DPoP, no request is sent. A `Bearer` token is rejected.
  case required
  /// Tokens are never bound.
  case never
}
