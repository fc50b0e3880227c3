public import SallyportProtocol

/// What an API says of itself in its metadata, RFC 9728 §2.
public struct ResourceDescription: Sendable {
  /// For people.
  public var name: String?
  /// What clients may want to ask for; nil to leave it to the challenges.
  public var scopes: Scope?
  /// A page for developers.
  public var documentation: EndpointURL?
  public var policy: EndpointURL?
  public var termsOfService: EndpointURL?

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
    // The one way that is taken: no token in a query or in a form (RFC 9700 §4.3.2).
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
