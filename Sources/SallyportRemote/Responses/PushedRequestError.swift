/// Why a response to a pushed authorization request is invalid (RFC 9126 §2.2). Contains no text from the response.
public enum PushedRequestError: Error, Equatable, Sendable {
  /// The server requires pushed requests but names no endpoint for them.
  case endpointMissing
  /// An unexpected status, for example a redirect, which is not followed.
  case unexpectedStatus(Int)
  /// The response is not the JSON of a pushed authorization response.
  case malformed
  /// `expires_in` is not positive.
  case lifetimeInvalid
  /// `request_uri` is not a URI, or is too long.
  case requestURIMalformed
}
