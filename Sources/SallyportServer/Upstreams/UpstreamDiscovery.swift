package import SallyportProtocol
package import SallyportRemote

/// Fetches and checks the metadata of upstreams.
package enum UpstreamDiscovery {
  /// Fetches and checks the metadata of a provider. A provider on the public internet must not name endpoints in the
  /// operator's own network.
  /// - Parameter tenants: The tenants of a multitenant provider, whose metadata may name the issuer of a tenant; nil if
  ///   the metadata must name `issuer`.
  /// - Throws: ``DiscoveryError``
  package static func metadata(
    of issuer: Issuer, tenants: TenantPolicy? = nil, over transport: any Transport
  ) async throws(DiscoveryError) -> ProviderMetadata {
    let metadata = try await Discovery(transport: transport).metadata(from: MetadataSource(issuer: issuer, tenants: tenants))
    guard metadata.jwksURI != nil else { throw .missing(.jwks) }
    // The endpoints to which the server itself sends requests.
    let endpoints: [(MetadataEndpoint, EndpointURL?)] = [
      (.token, metadata.tokenEndpoint), (.jwks, metadata.jwksURI), (.userinfo, metadata.userinfoEndpoint),
    ]
    for (name, url) in endpoints {
      guard let url else { continue }
      guard AddressPolicy.allowsReference(from: issuer.url, to: url) else { throw .downgrade(name) }
    }
    return metadata
  }
}
