package import SallyportProtocol

/// Validated metadata of an authorization server (RFC 8414 §3.3, OpenID Connect Discovery §4.3).
///
/// To cache the metadata, store ``document``, and validate the document again when you load it.
package struct ProviderMetadata: Sendable {
  /// The issuer to which the document belongs.
  package let issuer: Issuer
  /// If ``tenants`` is `nil`, the issuer of ID tokens: ``issuer``, or the issuer of the allowed tenant that the
  /// document names. Otherwise, this is ``issuer``, but each ID token names the issuer of the user's tenant.
  package let tokenIssuer: Issuer
  /// The tenants whose issuers may issue ID tokens, or `nil` if only ``tokenIssuer`` may.
  package let tenants: TenantPolicy?
  /// The authorization endpoint (RFC 6749 §3.1).
  package let authorizationEndpoint: EndpointURL
  /// The token endpoint (RFC 6749 §3.2).
  package let tokenEndpoint: EndpointURL
  /// The URL of the issuer's JWK Set (RFC 7517 §5).
  package let jwksURI: EndpointURL?
  /// The UserInfo endpoint (OpenID Connect Core §5.3).
  package let userinfoEndpoint: EndpointURL?
  /// The revocation endpoint (RFC 7009).
  package let revocationEndpoint: EndpointURL?
  /// The introspection endpoint (RFC 7662).
  package let introspectionEndpoint: EndpointURL?
  /// The logout endpoint (OpenID Connect RP-Initiated Logout).
  package let endSessionEndpoint: EndpointURL?
  /// The client registration endpoint (RFC 7591).
  package let registrationEndpoint: EndpointURL?
  /// The pushed authorization request endpoint (RFC 9126).
  package let pushedAuthorizationRequestEndpoint: EndpointURL?
  /// The device authorization endpoint (RFC 8628).
  package let deviceAuthorizationEndpoint: EndpointURL?
  /// The document that was validated.
  package let document: ServerMetadata

  /// Validates a document.
  /// - Parameters:
  ///   - document: The document, as fetched or cached.
  ///   - issuer: The issuer that the document must belong to.
  ///   - tenants: The tenants of a multitenant provider, or `nil` if the document must name `issuer`. With tenants, the
  ///     document may instead name the issuer of a tenant or the template of these issuers.
  /// - Throws: ``DiscoveryError``, which names the violated rule.
  package init(_ document: ServerMetadata, expecting issuer: Issuer, tenants: TenantPolicy? = nil) throws(DiscoveryError) {
    if let tenants, document.issuer.utf8.elementsEqual(tenants.issuerTemplate.utf8) {
      // The document is for all tenants.
      self.tenants = tenants
      self.tokenIssuer = issuer
    } else if let tenants, tenants.allows(issuer: document.issuer), let tenant = try? Issuer(document.issuer) {
      // The document is for one of the allowed tenants.
      self.tenants = nil
      self.tokenIssuer = tenant
    } else {
      try MetadataRules.checkIssuer(document.issuer, expected: issuer)
      self.tenants = nil
      self.tokenIssuer = issuer
    }
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

  /// Whether an authorization response may contain this `iss` (RFC 9207 §2.4).
  package func accepts(issuer text: String) -> Bool {
    // Compare bytes, because `String` equality treats canonically equivalent strings as equal.
    if text.utf8.elementsEqual(self.tokenIssuer.value.utf8) { return true }
    return self.tenants?.allows(issuer: text) ?? false
  }

  /// Whether every authorization response contains `iss` (RFC 9207 §3).
  package var announcesIssuer: Bool { self.document.authorizationResponseIssParameterSupported ?? false }
  /// `id_token_signing_alg_values_supported`, or `nil` if absent.
  package var idTokenSigningAlgorithms: [String]? { self.document.idTokenSigningAlgValuesSupported }
  /// `scopes_supported`, or `nil` if absent.
  package var scopesSupported: [String]? { self.document.scopesSupported }
  /// `prompt_values_supported`, or `nil` if absent.
  package var promptValuesSupported: [String]? { self.document.promptValuesSupported }
}
