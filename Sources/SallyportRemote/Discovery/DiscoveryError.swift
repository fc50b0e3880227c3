public import SallyportProtocol

/// Which rule an issuer's metadata breaks, or why it could not be read.
///
/// No case carries text of unbounded length from the server.
public enum DiscoveryError: Error, Equatable, Sendable {
  /// The document could not be fetched or is not JSON.
  case document(JSONDocumentError)
  /// The document speaks of another issuer (RFC 8414 §3.3); `found` is cut and holds visible ASCII only.
  case issuerMismatch(found: String)
  /// An endpoint that sign-in needs is not named.
  case missing(MetadataEndpoint)
  /// An endpoint's URL is not one that may be opened or requested.
  case endpoint(MetadataEndpoint, EndpointURLError)
  /// An `https` issuer names an endpoint with `http`.
  case downgrade(MetadataEndpoint)
  /// The server lists challenge methods and `S256` is not among them (RFC 8252 §6, RFC 7636 §4.2).
  case s256NotSupported
  /// The server lists response types and `code` is not among them.
  case codeNotSupported
}

/// The members of a metadata document that hold an endpoint, by their names on the wire.
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
