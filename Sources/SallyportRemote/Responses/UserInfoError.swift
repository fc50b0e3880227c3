/// Why a request for the user's claims could not be sent, or why its response is invalid (OpenID Connect Core §5.3).
public enum UserInfoError: Error, Equatable, Sendable {
  /// The server has no UserInfo endpoint.
  case notOffered
  /// The session has no ID token to compare the response with.
  case subjectUnknown
  /// The response is about a different user (§5.3.2).
  case subjectMismatch
  /// The response is not the JSON of a UserInfo response.
  case malformed
  /// The response has an unexpected status. The statuses 429 and 5xx are not reported with this error, because they
  /// mean that the server is temporarily unavailable.
  case unexpectedStatus(Int)
}
