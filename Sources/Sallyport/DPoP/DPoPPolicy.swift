/// Whether tokens are bound to a key of this installation with DPoP, RFC 9449, so that a stolen token is worth nothing.
public enum DPoPPolicy: Sendable, Hashable, CaseIterable {
  /// Where the server's metadata list `ES256` for it. A server that offers DPoP and still answers with a `Bearer` token is taken at
  /// its word (§5): the token is then used as that.
  case whenOffered
  /// Always: a server that does not list it is not asked, and a `Bearer` token is thrown away.
  case required
  case never
}
