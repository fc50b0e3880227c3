public import SallyportProtocol

/// Why a registration response is invalid (RFC 7591 §3.2.1 and RFC 7592 §3).
public enum RegistrationResponseError: Error, Equatable, Sendable {
  /// An unexpected status, for example a redirect, which is not followed.
  case unexpectedStatus(Int)
  /// The response is not the JSON of a registration response.
  case malformed
  /// The client identifier is empty, too long, or not visible ASCII (RFC 6749 Appendix A.1).
  case clientIDInvalid
  /// The response to a request about one client contains the identifier of another client.
  case clientIDChanged
  /// A secret or token is too long or not visible ASCII.
  case credentialMalformed
  /// The registered authentication method requires a secret, but the response has none.
  case secretMissing
  /// The server registered an authentication method that is not supported, or `private_key_jwt` although the client
  /// registered no key.
  case methodNotSupported
  /// The server registered none of the requested redirect URIs.
  case redirectURIsMissing
  /// The `registration_client_uri` is not a URL that a token may be sent to.
  case managementURI(EndpointURLError)
}
