/// Why an authorization response is invalid, or the error that the server returned in it. Contains nothing else from
/// the response.
public enum AuthorizationResponseError: Error, Equatable, Sendable {
  /// The callback URL is not a URL, is too long, or has a malformed query.
  case malformed
  /// The scheme, host, port, or path differs from the redirect URI of the request, or the callback URL has a fragment
  /// or lacks the query that the redirect URI contains (RFC 8252 §8.10).
  case wrongRedirectURI
  /// A parameter is repeated (RFC 6749 §3.1).
  case repeatedParameter
  /// `state` is missing (RFC 8252 §8.9).
  case stateMissing
  /// `state` doesn't match a pending request (RFC 8252 §8.9).
  case stateMismatch
  /// The request has already received its response. Each response is used once.
  case alreadyReceived
  /// `iss` is missing although the server announces that it sends `iss` (RFC 9207 §2.4).
  case issuerMissing
  /// `iss` names a different server (RFC 9207 §2.4).
  case issuerMismatch
  /// The response has neither `code` nor `error`.
  case codeMissing
  /// The server returned an error.
  case refused(OAuthErrorResponse)
}
