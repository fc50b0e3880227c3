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
    let document: ServerMetadata
    do {
      document = try await self.document(at: WellKnown.openIDConfiguration(of: issuer))
    } catch .status(400..<500) {
      document = try await self.fallback(of: issuer)
    } catch {
      throw .document(error)
    }
    return try ProviderMetadata(document, expecting: issuer)
  }

  /// The revocation endpoint from the RFC 8414 document, for an issuer whose OpenID configuration names none. OpenID
  /// Connect Discovery §3 doesn't define this member.
  /// - Returns: `nil` if there is no such document, or if it fails the checks of ``metadata(of:)``.
  package func revocationEndpoint(of issuer: Issuer) async -> EndpointURL? {
    guard let document = try? await self.fallback(of: issuer) else { return nil }
    return try? ProviderMetadata(document, expecting: issuer).revocationEndpoint
  }

  private func fallback(of issuer: Issuer) async throws(DiscoveryError) -> ServerMetadata {
    do {
      return try await self.document(at: WellKnown.oauthAuthorizationServer(of: issuer))
    } catch {
      throw .document(error)
    }
  }

  private func document(at url: String) async throws(JSONDocumentError) -> ServerMetadata {
    // An issuer is already checked, so this doesn't fail. If it did, no request would be sent.
    guard let url = try? EndpointURL(url) else { throw .malformed }
    let body = try await JSONDocument.fetch(url, over: self.transport)
    do {
      return try JSONDecoder().decode(ServerMetadata.self, from: Data(body))
    } catch {
      throw .malformed
    }
  }
}
