/// Which rule an authorization response breaks, or what the server refused in it. Never holds a part of the response itself.
public enum AuthorizationResponseError: Error, Equatable, Sendable {
  /// Not a URL, too long, or with a query that cannot be read.
  case malformed
  /// Not on the redirect URI of the request, in scheme, host, port or path: RFC 8252 §8.10.
  case wrongRedirectURI
  /// A parameter stands twice: RFC 6749 §3.1.
  case repeatedParameter
  /// No `state`: RFC 8252 §8.9.
  case stateMissing
  /// A `state` that belongs to no pending request: RFC 8252 §8.9.
  case stateMismatch
  /// Its request was answered before: an answer is used once.
  case alreadyAnswered
  /// No `iss` though the server announces it: RFC 9207 §2.4.
  case issuerMissing
  /// The `iss` of another server: RFC 9207 §2.4.
  case issuerMismatch
  /// Neither a code nor an error.
  case codeMissing
  /// The server answered with an error.
  case refused(ServerRefusal)
}
