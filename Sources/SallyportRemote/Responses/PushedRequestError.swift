/// Why a pushed authorization request could not be sent, or why its response is invalid (RFC 9126 §2.2). No case
/// contains text from the response.
public enum PushedRequestError: Error, Equatable, Sendable {
  /// The server or the app requires pushed requests, but the server's metadata names no endpoint for them.
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
