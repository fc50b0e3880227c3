#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
package import SallyportProtocol
import SallyportRemote

/// A fetched client metadata document (OAuth Client ID Metadata Document §4).
package struct ClientDocument: Sendable {
  let body: [UInt8]
  /// How long the document may be cached.
  let lifetime: Duration

  package init(body: [UInt8], lifetime: Duration) {
    self.body = body
    self.lifetime = lifetime
  }

  // The draft recommends a limit of 5 kilobytes. Documents with keys may be larger.
  private static let limits = TransferLimits(maximumBodySize: 16 << 10, timeout: .seconds(5))

  static func fetch(
    _ url: ClientIDDocumentURL, over transport: any Transport
  ) async throws(ClientDocumentError) -> ClientDocument {
    let response: TransportResponse
    do {
      response = try await transport.send(.get(url.url), body: [], limits: self.limits)
    } catch .bodyTooLarge {
      throw .invalid
    } catch {
      throw .unreachable
    }
    // With status 429 or 5xx, the document may still be valid.
    guard response.head.status.code < 500, response.head.status.code != 429 else { throw .unreachable }
    guard (try? JSONDocument.check(response.head)) != nil, response.body.count <= self.limits.maximumBodySize else {
      throw .invalid
    }
    return ClientDocument(body: response.body, lifetime: self.lifetime(response.head.headerFields[.cacheControl]))
  }

  /// Returns how long to cache the document (RFC 9111 §5.2.2): its `max-age`, but at least five minutes and at most one
  /// day; five minutes with `no-store` or `no-cache`; and otherwise one hour.
  static func lifetime(_ cacheControl: String?) -> Duration {
    guard let cacheControl else { return .seconds(3600) }
    let directives = cacheControl.lowercased().split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    if directives.contains(where: { $0 == "no-store" || $0 == "no-cache" }) { return .seconds(300) }
    let ages = directives.compactMap { $0.hasPrefix("max-age=") ? Int64($0.dropFirst(8)) : nil }
    return ages.first.map { .seconds(min(max($0, 300), 86_400)) } ?? .seconds(3600)
  }

  /// Returns the client that the document describes. The document must name its own URL and must not contain a secret.
  package func record(
    _ url: ClientIDDocumentURL, policy: RegistrationPolicy, at now: Timestamp
  ) throws(ClientDocumentError) -> ClientRecord {
    // Decode the document as a registration response first, to find members that it must not contain.
    guard let identity = (try? JSONDecoder().decode(RegistrationResponseJSON.self, from: Data(self.body)))?.response,
      var metadata = try? JSONDecoder().decode(ClientMetadata.self, from: Data(self.body))
    else { throw .invalid }
    // §4.1 requires a simple string comparison.
    guard identity.clientID.utf8.elementsEqual(url.url.value.utf8) else { throw .invalid }
    // The document is public, so it must not contain a secret.
    guard identity.clientSecret == nil, identity.clientSecretExpiresAt == nil else { throw .invalid }
    metadata.removeEmptyMembers()
    metadata.tokenEndpointAuthMethod = metadata.tokenEndpointAuthMethod ?? "none"
    do {
      var record = try ClientRecordBuilder.record(
        metadata, id: ClientID(rawValue: url.url.value), origin: .document, policy: policy, at: now)
      guard !record.authenticationMethod.usesSecret else { throw ClientDocumentError.invalid }
      record.details.documentFetchedAt = now
      record.details.documentExpiresAt = now + self.lifetime
      return record
    } catch {
      throw .invalid
    }
  }
}

package enum ClientDocumentError: Error, Equatable {
  /// The document could not be fetched. It may be available later.
  case unreachable
  /// The response is not a valid document for this client.
  case invalid
}
