public import SallyportProtocol

/// The descriptive part of an API's metadata (RFC 9728 §2). The metadata omits every property that is `nil`.
public struct ResourceDescription: Sendable {
  /// The display name.
  public var name: String?
  /// The scopes that clients can request, or `nil` to name scopes only in challenges.
  public var scopes: Scope?
  /// A documentation page for developers.
  public var documentation: EndpointURL?
  /// A page about how the API's data may be used.
  public var policy: EndpointURL?
  /// A page with the API's terms of service.
  public var termsOfService: EndpointURL?

  /// Creates the descriptive part of an API's metadata. The properties with the same names describe the parameters.
  public init(
    name: String? = nil, scopes: Scope? = nil, documentation: EndpointURL? = nil, policy: EndpointURL? = nil,
    termsOfService: EndpointURL? = nil
  ) {
    self.name = name
    self.scopes = scopes
    self.documentation = documentation
    self.policy = policy
    self.termsOfService = termsOfService
  }

  func metadata(of resource: EndpointURL, issuers: [Issuer], dpop: DPoPAcceptance.Demand) -> ProtectedResourceMetadata {
    var metadata = ProtectedResourceMetadata(resource: resource.value, authorizationServers: issuers.map(\.value))
    // Tokens in a query or a form are not accepted (RFC 9700 §4.3.2).
    metadata.bearerMethodsSupported = ["header"]
    metadata.scopesSupported = self.scopes?.tokens
    metadata.resourceName = self.name
    metadata.resourceDocumentation = self.documentation?.value
    metadata.resourcePolicyURI = self.policy?.value
    metadata.resourceTermsOfServiceURI = self.termsOfService?.value
    if dpop != .off { metadata.dpopSigningAlgValuesSupported = DPoPAlgorithm.allCases.map(\.rawValue) }
    if dpop == .required { metadata.dpopBoundAccessTokensRequired = true }
    return metadata
  }
}
