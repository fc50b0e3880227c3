/// The metadata of an authorization server (RFC 8414 §2, OpenID Connect Discovery §3), used by clients and servers.
///
/// Unknown members are ignored. The values are not checked. `SallyportRemote` turns a fetched document into checked
/// endpoints.
public struct ServerMetadata: Codable, Sendable, Equatable {
  public var issuer: String
  public var authorizationEndpoint: String?
  public var tokenEndpoint: String?
  public var jwksURI: String?
  public var userinfoEndpoint: String?
  public var revocationEndpoint: String?
  public var endSessionEndpoint: String?
  public var registrationEndpoint: String?
  public var pushedAuthorizationRequestEndpoint: String?
  public var deviceAuthorizationEndpoint: String?
  public var introspectionEndpoint: String?
  public var scopesSupported: [String]?
  public var responseTypesSupported: [String]?
  public var responseModesSupported: [String]?
  public var grantTypesSupported: [String]?
  public var subjectTypesSupported: [String]?
  public var idTokenSigningAlgValuesSupported: [String]?
  public var userinfoSigningAlgValuesSupported: [String]?
  public var tokenEndpointAuthMethodsSupported: [String]?
  public var revocationEndpointAuthMethodsSupported: [String]?
  public var revocationEndpointAuthSigningAlgValuesSupported: [String]?
  public var codeChallengeMethodsSupported: [String]?
  public var claimsSupported: [String]?
  public var promptValuesSupported: [String]?
  public var authorizationResponseIssParameterSupported: Bool?
  public var claimsParameterSupported: Bool?
  public var requestParameterSupported: Bool?
  public var requestURIParameterSupported: Bool?
  public var requireRequestURIRegistration: Bool?
  public var tokenEndpointAuthSigningAlgValuesSupported: [String]?
  public var introspectionEndpointAuthMethodsSupported: [String]?
  public var introspectionEndpointAuthSigningAlgValuesSupported: [String]?
  public var dpopSigningAlgValuesSupported: [String]?
  public var requestObjectSigningAlgValuesSupported: [String]?
  public var acrValuesSupported: [String]?
  public var uiLocalesSupported: [String]?
  public var requirePushedAuthorizationRequests: Bool?
  public var requireSignedRequestObject: Bool?
  public var clientIDMetadataDocumentSupported: Bool?
  public var backchannelLogoutSupported: Bool?
  public var backchannelLogoutSessionSupported: Bool?

  public init(issuer: String) {
    self.issuer = issuer
  }

  private enum CodingKeys: String, CodingKey {
    case issuer
    case authorizationEndpoint = "authorization_endpoint"
    case tokenEndpoint = "token_endpoint"
    case jwksURI = "jwks_uri"
    case userinfoEndpoint = "userinfo_endpoint"
    case revocationEndpoint = "revocation_endpoint"
    case endSessionEndpoint = "end_session_endpoint"
    case registrationEndpoint = "registration_endpoint"
    case pushedAuthorizationRequestEndpoint = "pushed_authorization_request_endpoint"
    case deviceAuthorizationEndpoint = "device_authorization_endpoint"
    case introspectionEndpoint = "introspection_endpoint"
    case scopesSupported = "scopes_supported"
    case responseTypesSupported = "response_types_supported"
    case responseModesSupported = "response_modes_supported"
    case grantTypesSupported = "grant_types_supported"
    case subjectTypesSupported = "subject_types_supported"
    case idTokenSigningAlgValuesSupported = "id_token_signing_alg_values_supported"
    case userinfoSigningAlgValuesSupported = "userinfo_signing_alg_values_supported"
    case tokenEndpointAuthMethodsSupported = "token_endpoint_auth_methods_supported"
    case revocationEndpointAuthMethodsSupported = "revocation_endpoint_auth_methods_supported"
    case revocationEndpointAuthSigningAlgValuesSupported = "revocation_endpoint_auth_signing_alg_values_supported"
    case codeChallengeMethodsSupported = "code_challenge_methods_supported"
    case claimsSupported = "claims_supported"
    case promptValuesSupported = "prompt_values_supported"
    case authorizationResponseIssParameterSupported = "authorization_response_iss_parameter_supported"
    case claimsParameterSupported = "claims_parameter_supported"
    case requestParameterSupported = "request_parameter_supported"
    case requestURIParameterSupported = "request_uri_parameter_supported"
    case requireRequestURIRegistration = "require_request_uri_registration"
    case tokenEndpointAuthSigningAlgValuesSupported = "token_endpoint_auth_signing_alg_values_supported"
    case introspectionEndpointAuthMethodsSupported = "introspection_endpoint_auth_methods_supported"
    case introspectionEndpointAuthSigningAlgValuesSupported = "introspection_endpoint_auth_signing_alg_values_supported"
    case dpopSigningAlgValuesSupported = "dpop_signing_alg_values_supported"
    case requestObjectSigningAlgValuesSupported = "request_object_signing_alg_values_supported"
    case acrValuesSupported = "acr_values_supported"
    case uiLocalesSupported = "ui_locales_supported"
    case requirePushedAuthorizationRequests = "require_pushed_authorization_requests"
    case requireSignedRequestObject = "require_signed_request_object"
    case clientIDMetadataDocumentSupported = "client_id_metadata_document_supported"
    case backchannelLogoutSupported = "backchannel_logout_supported"
    case backchannelLogoutSessionSupported = "backchannel_logout_session_supported"
  }
}
