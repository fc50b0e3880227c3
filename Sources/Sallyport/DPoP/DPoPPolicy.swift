/// Whether tokens are bound to a key of this installation (DPoP, RFC 9449), so that a stolen token cannot be used
/// without the key.
///
/// A bound token needs a new proof for each request. ``OAuthSession/send(_:for:body:limits:)`` and
/// ``OAuthSession/authorization(for:_:target:)`` create the proof. ``OAuthSession/accessToken(minimumLifetime:)``
/// throws ``SessionError/boundToKey``, because the token alone is useless.
public enum DPoPPolicy: Sendable, Hashable, CaseIterable {
  /// Tokens are bearer tokens (RFC 6750), which any tool can send, because they need no proof.
  case never
  /// Tokens are bound if the server's metadata lists `ES256` for DPoP. If such a server still returns a `Bearer` token,
  /// the token is used as a bearer token (RFC 9449 §5).
  case preferred
  /// The tokens of each sign-in are bound. If the server doesn't offer DPoP, the sign-in fails before the browser
  /// opens. A `Bearer` token is rejected. A session that was stored earlier with bearer tokens and no key keeps using
  /// bearer tokens.
  case required
}
