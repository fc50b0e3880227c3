/// An authorization server's metadata, RFC 8414 §2 and OpenID Connect Discovery §3, as both ends use it.
///
/// Members that neither end uses are ignored when reading. Nothing is trusted here: `SallyportRemote` turns a document that was
/// fetched into checked endpoints.
public struct ServerMetadata: Codable, Sendable, Equatable {
  public var issuer: String
  public var authorizationEndpoint: String?
  public var tokenEndpoint: String?
  public var jwksURI: String?
  public var userinfoEndpoint: String?
  public var revocationEndpoint: String?
  public var endSessionEndpoint: String?
  public var scopesSupported: [String]?
  public var responseTypesSupported: [String]?
  public var responseModesSupported: [String]?
  public var grantTypesSupported: [String]?
  public var subjectTypesSupported: [String]?
  public var idTokenSigningAlgValuesSupported: [String]?
  public var tokenEndpointAuthMethodsSupported: [String]?
  public var revocationEndpointAuthMethodsSupported: [String]?
  public var codeChallengeMethodsSupported: [String]?
  public var claimsSupported: [String]?
  public var promptValuesSupported: [String]?
  public var authorizationResponseIssParameterSupported: Bool?
  public var claimsParameterSupported: Bool?
  public var requestParameterSupported: Bool?
  public var requestURIParameterSupported: Bool?

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
    case scopesSupported = "scopes_supported"
    case responseTypesSupported = "response_types_supported"
    case responseModesSupported = "response_modes_supported"
    case grantTypesSupported = "grant_types_supported"
    case subjectTypesSupported = "subject_types_supported"
    case idTokenSigningAlgValuesSupported = "id_token_signing_alg_values_supported"
    case tokenEndpointAuthMethodsSupported = "token_endpoint_auth_methods_supported"
    case revocationEndpointAuthMethodsSupported = "revocation_endpoint_auth_methods_supported"
    case codeChallengeMethodsSupported = "code_challenge_methods_supported"
    case claimsSupported = "claims_supported"
    case promptValuesSupported = "prompt_values_supported"
    case authorizationResponseIssParameterSupported = "authorization_response_iss_parameter_supported"
    case claimsParameterSupported = "claims_parameter_supported"
    case requestParameterSupported = "request_parameter_supported"
    case requestURIParameterSupported = "request_uri_parameter_supported"
  }
}
