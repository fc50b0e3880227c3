/// Why a token response is invalid (RFC 6749 §5.1 and §5.2). Contains no text from the response.
public enum TokenResponseError: Error, Equatable, Sendable {
  /// An unexpected status, for example a redirect, which is not followed.
  case unexpectedStatus(Int)
  /// The body is not a token response: it is neither a JSON object nor a form, or a member is missing or has the wrong
  /// type.
  case malformed
  /// The token type is neither `Bearer` nor, if the request had a DPoP proof, `DPoP`. A client must not use a token of
  /// an unknown type (RFC 6749 §7.1).
  case tokenTypeNotSupported
  /// The server returned a `Bearer` token although the app requires tokens that are bound to its key (RFC 9449 §5).
  case tokenNotBound
  /// `expires_in` is not a number of seconds, is negative, or is longer than ten years.
  case lifetimeInvalid
  /// The access token is empty, or a token is too long or contains characters that are not allowed (RFC 6749 Appendix
  /// A).
  case tokenMalformed
  /// The request was an OpenID Connect request, but the response has no ID token.
  case idTokenMissing
}
