public import SallyportProtocol

/// Typed access to the members of ``metadata``, which the app specifies. A property is `nil` if ``metadata`` doesn't
/// contain the member in a valid form, even if the metadata document that the server publishes does.
extension ServerConfiguration {
  /// `authorization_endpoint` (RFC 6749 §3.1).
  public var authorizationEndpoint: EndpointURL? {
    get { self[.authorization] }
    set { self[.authorization] = newValue }
  }

  /// `token_endpoint` (RFC 6749 §3.2).
  public var tokenEndpoint: EndpointURL? {
    get { self[.token] }
    set { self[.token] = newValue }
  }

  /// `jwks_uri`: the URL of the server's keys (RFC 7517 §5).
  public var jwksURI: EndpointURL? {
    get { self[.jwks] }
    set { self[.jwks] = newValue }
  }

  /// `userinfo_endpoint` (OpenID Connect Core §5.3).
  public var userInfoEndpoint: EndpointURL? {
    get { self[.userinfo] }
    set { self[.userinfo] = newValue }
  }

  /// `revocation_endpoint` (RFC 7009).
  public var revocationEndpoint: EndpointURL? {
    get { self[.revocation] }
    set { self[.revocation] = newValue }
  }

  /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout).
  public var endSessionEndpoint: EndpointURL? {
    get { self[.endSession] }
    set { self[.endSession] = newValue }
  }

  /// `device_authorization_endpoint` (RFC 8628).
  public var deviceAuthorizationEndpoint: EndpointURL? {
    get { self[.deviceAuthorization] }
    set { self[.deviceAuthorization] = newValue }
  }

  /// `pushed_authorization_request_endpoint` (RFC 9126).
  public var pushedAuthorizationRequestEndpoint: EndpointURL? {
    get { self[.pushedAuthorizationRequest] }
    set { self[.pushedAuthorizationRequest] = newValue }
  }

  /// `registration_endpoint` (RFC 7591).
  public var registrationEndpoint: EndpointURL? {
    get { self[.registration] }
    set { self[.registration] = newValue }
  }

  /// `authorization_response_iss_parameter_supported`: whether every authorization response contains `iss` (RFC 9207
  /// §3).
  ///
  /// With `false`, a response without `iss` is accepted even if the server announces that it sends `iss`. The app then
  /// gives up the protection against mix-up attacks (RFC 9207 §1), which matters if the app uses several servers. A
  /// wrong `iss` is rejected in any case.
  public var announcesIssuer: Bool? {
    get {
      guard case .bool(let value) = self.metadata["authorization_response_iss_parameter_supported"] else { return nil }
      return value
    }
    set { self.metadata["authorization_response_iss_parameter_supported"] = newValue.map(JSONValue.bool) }
  }

  private subscript(endpoint: MetadataEndpoint) -> EndpointURL? {
    get {
      guard case .string(let text) = self.metadata[endpoint.rawValue] else { return nil }
      return try? EndpointURL(text)
    }
    set { self.metadata[endpoint.rawValue] = newValue.map { .string($0.value) } }
  }
}
