public import SallyportProtocol

/// The metadata of an authorization server, checked: a value exists only for a document that keeps every rule.
///
/// RFC 8414 §3.3 and OpenID Connect Discovery §4.3. To cache it, keep ``document`` and check it again when it is read.
public struct ProviderMetadata: Sendable {
  public let issuer: Issuer
  public let authorizationEndpoint: EndpointURL
  public let tokenEndpoint: EndpointURL
  public let jwksURI: EndpointURL?
  public let userinfoEndpoint: EndpointURL?
  public let revocationEndpoint: EndpointURL?
  public let introspectionEndpoint: EndpointURL?
  public let endSessionEndpoint: EndpointURL?
  public let registrationEndpoint: EndpointURL?
  public let pushedAuthorizationRequestEndpoint: EndpointURL?
  public let deviceAuthorizationEndpoint: EndpointURL?
  /// The document as it was read.
  public let document: ServerMetadata

  /// Checks a document.
  /// - Parameters:
  ///   - document: as fetched, or as cached.
  ///   - issuer: the issuer whose metadata this should be.
  /// - Throws: ``DiscoveryError``, which names the rule that the document breaks.
  public init(_ document: ServerMetadata, expecting issuer: Issuer) throws(DiscoveryError) {
    try MetadataRules.checkIssuer(document.issuer, expected: issuer)
    try MetadataRules.checkChallengeMethods(document.codeChallengeMethodsSupported)
    try MetadataRules.checkResponseTypes(document.responseTypesSupported)
    self.issuer = issuer
    self.authorizationEndpoint = try MetadataRules.required(document.authorizationEndpoint, .authorization, of: issuer)
    self.tokenEndpoint = try MetadataRules.required(document.tokenEndpoint, .token, of: issuer)
    self.jwksURI = try MetadataRules.optional(document.jwksURI, .jwks, of: issuer)
    self.userinfoEndpoint = try MetadataRules.optional(document.userinfoEndpoint, .userinfo, of: issuer)
    self.revocationEndpoint = try MetadataRules.optional(document.revocationEndpoint, .revocation, of: issuer)
    self.introspectionEndpoint = try MetadataRules.optional(document.introspectionEndpoint, .introspection, of: issuer)
    self.endSessionEndpoint = try MetadataRules.optional(document.endSessionEndpoint, .endSession, of: issuer)
    self.registrationEndpoint = try MetadataRules.optional(document.registrationEndpoint, .registration, of: issuer)
    self.pushedAuthorizationRequestEndpoint = try MetadataRules.optional(
      document.pushedAuthorizationRequestEndpoint, .pushedAuthorizationRequest, of: issuer)
    self.deviceAuthorizationEndpoint = try MetadataRules.optional(
      document.deviceAuthorizationEndpoint, .deviceAuthorization, of: issuer)
    self.document = document
  }

  /// Whether each authorization response carries `iss` (RFC 9207 §3).
  public var announcesIssuer: Bool { self.document.authorizationResponseIssParameterSupported ?? false }
  /// `id_token_signing_alg_values_supported`, where told.
  public var idTokenSigningAlgorithms: [String]? { self.document.idTokenSigningAlgValuesSupported }
  /// `scopes_supported`, where told.
  public var scopesSupported: [String]? { self.document.scopesSupported }
  /// `prompt_values_supported`, where told.
  public var promptValuesSupported: [String]? { self.document.promptValuesSupported }
}
