package import SallyportProtocol

/// The part of an authorization server's metadata that an API needs. Unlike ``ProviderMetadata``, it exists for servers
/// at which no user can sign in (RFC 8414 §2).
package struct IssuerEndpoints: Sendable {
  /// The URL of the issuer's JWK Set (RFC 7517 §5).
  package let jwksURI: EndpointURL?
  /// The introspection endpoint (RFC 7662).
  package let introspectionEndpoint: EndpointURL?

  /// Validates a document.
  /// - Parameters:
  ///   - document: The document, as fetched.
  ///   - issuer: The issuer that the document must belong to.
  /// - Throws: ``DiscoveryError``, which names the violated rule.
  init(_ document: ServerMetadata, expecting issuer: Issuer) throws(DiscoveryError) {
    try MetadataRules.checkIssuer(document.issuer, expected: issuer)
    self.jwksURI = try MetadataRules.optional(document.jwksURI, .jwks, of: issuer)
    self.introspectionEndpoint = try MetadataRules.optional(document.introspectionEndpoint, .introspection, of: issuer)
  }
}
