/// Which rule an answer of the token endpoint breaks, RFC 6749 §5.1 and §5.2. Never holds a part of the answer.
public enum TokenResponseError: Error, Equatable, Sendable {
  /// A status that neither grants nor refuses, for example a redirect, which is not followed.
  case unexpectedStatus(Int)
  /// Not the JSON of a token response.
  case malformed
  /// Another type than `Bearer`, or than `DPoP` where that was asked for: a client must not use a token of a type that it does not
  /// understand, RFC 6749 §7.1.
  case tokenTypeNotSupported
  /// A `Bearer` token where the app demands one that is bound to its key, RFC 9449 §5.
  case tokenNotBound
  /// `expires_in` is negative or beyond all sense.
  case lifetimeInvalid
  /// A token that is empty, too long, or not in the characters of RFC 6749 Appendix A.
  case tokenMalformed
  /// The request asked for OpenID Connect and no ID token came.
  case idTokenMissing
}
