#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import SallyportProtocol

/// Finds an authorization server's metadata (RFC 8414 §3, OpenID Connect Discovery §4).
package struct Discovery: Sendable {
  private let transport: any Transport

  /// - Parameter transport: Sends the requests.
  package init(transport: any Transport) {
    self.transport = transport
  }

  /// Fetches and checks an issuer's metadata: its OpenID configuration or, if there is none, the RFC 8414 document.
  /// - Throws: ``DiscoveryError``
  package func metadata(of issuer: Issuer) async throws(DiscoveryError) -> ProviderMetadata {
    try await self.metadata(from: MetadataSource(issuer: issuer))
  }

  /// Fetches the document that a source names, merges ``MetadataSource/members`` into it, and checks the result.
  /// - Throws: ``DiscoveryError``
  package func metadata(from source: MetadataSource) async throws(DiscoveryError) -> ProviderMetadata {
    try ProviderMetadata(try await self.document(from: source), expecting: source.issuer, tenants: source.tenants)
  }

  /// Fetches an issuer's metadata, and checks the part that an API needs.
  /// - Throws: ``DiscoveryError``
  package func endpoints(of issuer: Issuer) async throws(DiscoveryError) -> IssuerEndpoints {
    try IssuerEndpoints(try await self.document(from: MetadataSource(issuer: issuer)), expecting: issuer)
  }

  private func document(from source: MetadataSource) async throws(DiscoveryError) -> ServerMetadata {
    do {
      let members = source.merged(into: try await self.members(source))
      return try JSONDecoder().decode(ServerMetadata.self, from: try JSONEncoder().encode(members))
    } catch {
      throw .document((error as? JSONDocumentError) ?? .malformed)
    }
  }

  /// The revocation endpoint from the RFC 8414 document, for an issuer whose OpenID configuration names none. OpenID
  /// Connect Discovery §3 doesn't define `revocation_endpoint`.
  /// - Returns: `nil` if the document cannot be fetched, fails the checks of ``metadata(of:)``, or names no revocation
  ///   endpoint.
  package func revocationEndpoint(of issuer: Issuer) async -> EndpointURL? {
    guard let url = try? EndpointURL(WellKnown.oauthAuthorizationServer(of: issuer)) else { return nil }
    return try? await self.metadata(from: MetadataSource(issuer: issuer, location: .document(url))).revocationEndpoint
  }

  private func members(_ source: MetadataSource) async throws(JSONDocumentError) -> [String: JSONValue] {
    switch source.location {
    case .none: return ["issuer": .string(source.issuer.value)]
    case .document(let url): return try await self.document(at: url.value)
    case .wellKnown: break
    }
    do {
      return try await self.document(at: WellKnown.openIDConfiguration(of: source.issuer))
    } catch .status(400..<500) {
      // The server has no OpenID configuration.
      return try await self.document(at: WellKnown.oauthAuthorizationServer(of: source.issuer))
    }
  }

  private func document(at url: String) async throws(JSONDocumentError) -> [String: JSONValue] {
    // A URL that is derived from a valid issuer is valid, so this doesn't fail.
    guard let url = try? EndpointURL(url) else { throw .malformed }
    guard let members = JSONValue.members(of: try await JSONDocument.fetch(url, over: self.transport, redirects: 3))
    else { throw .malformed }
    return members
  }
}
