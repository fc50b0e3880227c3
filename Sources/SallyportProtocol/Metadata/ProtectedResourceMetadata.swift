/// The metadata of a protected resource (RFC 9728 §2), used by clients and resource servers.
///
/// The values are not checked. `SallyportRemote` turns a fetched document into a checked resource.
public struct ProtectedResourceMetadata: Codable, Sendable, Equatable {
  public var resource: String
  public var authorizationServers: [String]?
  public var jwksURI: String?
  public var scopesSupported: [String]?
  public var bearerMethodsSupported: [String]?
  public var resourceName: String?
  public var resourceDocumentation: String?
  public var resourcePolicyURI: String?
  public var resourceTermsOfServiceURI: String?
  public var dpopSigningAlgValuesSupported: [String]?
  public var dpopBoundAccessTokensRequired: Bool?

  /// Creates metadata with the given members.
  /// - Parameters:
  ///   - resource: The resource identifier.
  ///   - authorizationServers: The issuers whose tokens the resource accepts.
  public init(resource: String, authorizationServers: [String]? = nil) {
    self.resource = resource
    self.authorizationServers = authorizationServers
  }

  private enum CodingKeys: String, CodingKey {
    case resource
    case authorizationServers = "authorization_servers"
    case jwksURI = "jwks_uri"
    case scopesSupported = "scopes_supported"
    case bearerMethodsSupported = "bearer_methods_supported"
    case resourceName = "resource_name"
    case resourceDocumentation = "resource_documentation"
    case resourcePolicyURI = "resource_policy_uri"
    case resourceTermsOfServiceURI = "resource_tos_uri"
    case dpopSigningAlgValuesSupported = "dpop_signing_alg_values_supported"
    case dpopBoundAccessTokensRequired = "dpop_bound_access_tokens_required"
  }
}
