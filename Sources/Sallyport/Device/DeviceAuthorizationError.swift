public import SallyportProtocol

/// Which rule a device authorization response breaks, RFC 8628 §3.2. Never holds a part of the response.
public enum DeviceAuthorizationError: Error, Equatable, Sendable {
  /// The server's metadata name no device authorization endpoint.
  case notOffered
  /// A status that neither grants nor refuses, for example a redirect, which is not followed.
  case unexpectedStatus(Int)
  /// Not the JSON of a device authorization response.
  case malformed
  /// A device code that is empty, too long, or not in visible ASCII.
  case deviceCodeMalformed
  /// A user code that nobody could type, or that a terminal would act on.
  case userCodeMalformed
  /// `verification_uri` or `verification_uri_complete` is no address that a person should open.
  case verificationURI(EndpointURLError)
  /// `verification_uri_complete` leads to another site than `verification_uri`.
  case completeURIElsewhere
  /// `expires_in` is not positive, or beyond all sense.
  case lifetimeInvalid
  /// `interval` is negative, or beyond all sense.
  case intervalInvalid
}
