#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
package import SallyportProtocol

/// Finds the authorization servers of an API from its URL (RFC 9728).
package struct ResourceDiscovery: Sendable {
  private let transport: any Transport

  /// The limits for the request to the API itself. Only the head of its response is used.
  private static let probeLimits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(10))

  /// - Parameter transport: Sends the requests.
  package init(transport: any Transport) {
    self.transport = transport
  }

  /// Sends a request without a token to the API, and reads the metadata that the challenge names (§5.1). If the
  /// challenge names none, reads the metadata at the default location for the resource (§3.1). If the response to this
  /// request has a 4xx status, reads the metadata of the resource's origin.
  /// - Throws: ``ResourceDiscoveryError``
  package func metadata(of resource: EndpointURL) async throws(ResourceDiscoveryError) -> ProtectedResource {
    let challenge = try await self.challenge(of: resource)
    if let text = challenge?["resource_metadata"] {
      return try await self.resource(resource, at: text, scope: challenge?.scope)
    }
    do {
      return try await self.resource(resource, at: WellKnown.protectedResource(of: resource), scope: challenge?.scope)
    } catch .document(.status(400..<500)) where resource.pathAndQuery != "/" {
      // Metadata at the root describes the whole origin, which is then the resource (§3.3).
      guard let origin = try? EndpointURL("\(resource.components.scheme)://\(resource.authority)") else { throw .malformed }
      return try await self.resource(origin, at: WellKnown.protectedResource(of: origin), scope: challenge?.scope)
    }
  }

  /// Sends a request without a token to the API.
  /// - Returns: The first Bearer or DPoP challenge that contains `resource_metadata`. If no challenge contains it, the
  ///   first Bearer or DPoP challenge, or `nil` if the API sends no challenge of these schemes.
  private func challenge(of resource: EndpointURL) async throws(ResourceDiscoveryError) -> AuthenticationChallenge? {
    let response: TransportResponse
    do {
      response = try await self.transport.send(.get(resource, accept: "*/*"), body: [], limits: Self.probeLimits)
    } catch .bodyTooLarge, .timedOut {
      // The API sends a large response without requiring a token, or responds too slowly. Its metadata may still be at
      // the default location.
      return nil
    } catch {
      throw .network(error)
    }
    guard response.head.status == .unauthorized else { return nil }
    let challenges = AuthenticationChallenge.challenges(of: response.head.headerFields).filter {
      $0.isScheme("Bearer") || $0.isScheme("DPoP")
    }
    return challenges.first { $0["resource_metadata"] != nil } ?? challenges.first
  }

  private func resource(
    _ resource: EndpointURL, at text: String, scope: Scope?
  ) async throws(ResourceDiscoveryError) -> ProtectedResource {
    guard text.utf8.count <= 4096, let url = try? EndpointURL(text), AddressPolicy.allowsReference(from: resource, to: url) else {
      throw .metadataURLNotAllowed
    }
    let body: [UInt8]
    do {
      body = try await JSONDocument.fetch(url, over: self.transport)
    } catch {
      throw .document(error)
    }
    guard let document = try? JSONDecoder().decode(ProtectedResourceMetadata.self, from: Data(body)) else {
      throw .document(.malformed)
    }
    return try ProtectedResource(document, expecting: resource, challengedScope: scope)
  }
}
