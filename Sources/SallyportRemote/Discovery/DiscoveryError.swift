public import SallyportProtocol

/// Why an issuer's metadata is invalid or could not be read.
///
/// No case contains unlimited text from the server.
public enum DiscoveryError: Error, Equatable, Sendable {
  /// The document could not be fetched or is malformed.
  case document(JSONDocumentError)
  /// The document is for another issuer (RFC 8414 §3.3). `found` is limited in length and contains only visible ASCII
  /// characters.
  case issuerMismatch(found: String)
  /// A required endpoint is missing.
  case missing(MetadataEndpoint)
  /// An endpoint's URL is not safe to open or request.
  case endpoint(MetadataEndpoint, EndpointURLError)
  /// An issuer that uses `https` names an endpoint that uses `http`. The Sallyport server also reports this error if an
  /// upstream (a provider through which its users sign in) names an endpoint at an address that is not allowed for it.
  /// For example, an upstream on the public internet must not name an address in a private network.
  case downgrade(MetadataEndpoint)
  /// The server lists code challenge methods, but `S256` is not among them (RFC 8252 §6, RFC 7636 §4.2).
  case s256NotSupported
  /// The server lists response types, but `code` is not among them.
  case codeNotSupported
}

/// The metadata members that contain an endpoint. The raw values are the JSON names.
public enum MetadataEndpoint: String, Sendable, CaseIterable {
  case authorization = "authorization_endpoint"
  case token = "token_endpoint"
  case jwks = "jwks_uri"
  case userinfo = "userinfo_endpoint"
  case revocation = "revocation_endpoint"
  case introspection = "introspection_endpoint"
  case endSession = "end_session_endpoint"
  case registration = "registration_endpoint"
  case pushedAuthorizationRequest = "pushed_authorization_request_endpoint"
  case deviceAuthorization = "device_authorization_endpoint"
}
