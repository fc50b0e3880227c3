/// Why the user's claims could not be requested, or the response is invalid (OpenID Connect Core §5.3).
public enum UserInfoError: Error, Equatable, Sendable {
  /// The server has no UserInfo endpoint.
  case notOffered
  /// The session has no ID token to compare the response with.
  case subjectUnknown
  /// The response is about a different user (§5.3.2).
  case subjectMismatch
  /// The response is not the JSON of a UserInfo response.
  case malformed
  /// A status other than 200, 429, and 5xx.
  case unexpectedStatus(Int)
}
