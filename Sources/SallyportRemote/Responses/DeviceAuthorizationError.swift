public import SallyportProtocol

/// Why a device authorization cannot start: the server doesn't support it, or its response is invalid (RFC 8628 §3.2).
/// No case contains text from the response.
public enum DeviceAuthorizationError: Error, Equatable, Sendable {
  /// The server's metadata names no device authorization endpoint.
  case notOffered
  /// An unexpected status, for example a redirect, which is not followed.
  case unexpectedStatus(Int)
  /// The response is not the JSON of a device authorization response.
  case malformed
  /// The device code is empty, too long, or not visible ASCII.
  case deviceCodeMalformed
  /// The user code is empty or too long, contains characters other than ASCII letters, digits, `-`, `_`, `.`, and
  /// spaces, or doesn't begin and end with a letter or a digit.
  case userCodeMalformed
  /// `verification_uri` or `verification_uri_complete` is not safe to open.
  case verificationURI(EndpointURLError)
  /// `verification_uri_complete` has a different origin than `verification_uri`.
  case completeURIOriginMismatch
  /// `expires_in` is not positive, or is more than 30 days.
  case lifetimeInvalid
  /// `interval` is negative, or is more than one hour.
  case intervalInvalid
}
