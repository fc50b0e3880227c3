#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
package import SallyportProtocol
import SallyportRemote

/// A client's metadata document as it was fetched, OAuth Client ID Metadata Document §4.
package struct ClientDocument: Sendable {
  let body: [UInt8]
  /// How long it may be used.
  let lifetime: Duration

  package init(body: [UInt8], lifetime: Duration) {
    self.body = body
    self.lifetime = lifetime
  }

  /// The draft names 5 kilobytes; keys take a little more.
  private static let limits = TransferLimits(maximumBodySize: 16 << 10, timeout: .seconds(5))

  static func fetch(
    _ url: ClientIDDocumentURL, over transport: any Transport
  ) async throws(ClientDocumentError) -> ClientDocument {
    let answer: TransportResponse
    do {
      answer = try await transport.send(.get(url.url), body: [], limits: self.limits)
    } catch .bodyTooLarge {
      throw .invalid
    } catch {
      throw .unreachable
    }
    guard answer.head.status.code < 500, answer.head.status.code != 429 else { throw .unreachable }
    guard (try? JSONDocument.check(answer.head)) != nil, answer.body.count <= self.limits.maximumBodySize else { throw .invalid }
    return ClientDocument(body: answer.body, lifetime: self.lifetime(answer.head.headerFields[.cacheControl]))
  }

  /// What the publisher says (RFC 9111 §5.2.2), between five minutes and a day; an hour where nothing is said.
  static func lifetime(_ cacheControl: String?) -> Duration {
    guard let cacheControl else { return .seconds(3600) }
    let directives = cacheControl.lowercased().split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    if directives.contains(where: { $0 == "no-store" || $0 == "no-cache" }) { return .seconds(300) }
    let ages = directives.compactMap { $0.hasPrefix("max-age=") ? Int64($0.dropFirst(8)) : nil }
    return ages.first.map { .seconds(min(max($0, 300), 86_400)) } ?? .seconds(3600)
  }

  /// The client that the document describes, where it speaks of itself and of nothing secret.
  package func record(
    _ url: ClientIDDocumentURL, policy: RegistrationPolicy, at now: Timestamp
  ) throws(ClientDocumentError) -> ClientRecord {
    // Once as a client reads its registration, for what must not be in it, and once strictly.
    guard let identity = (try? JSONDecoder().decode(RegistrationResponseJSON.self, from: Data(self.body)))?.response,
      var metadata = try? JSONDecoder().decode(ClientMetadata.self, from: Data(self.body))
    else { throw .invalid }
    // §4.1: by simple string comparison.
    guard identity.clientID.utf8.elementsEqual(url.url.value.utf8) else { throw .invalid }
    // What everybody can read is no secret.
    guard identity.clientSecret == nil, identity.clientSecretExpiresAt == nil else { throw .invalid }
    metadata.removeEmptyMembers()
    metadata.tokenEndpointAuthMethod = metadata.tokenEndpointAuthMethod ?? "none"
    do {
      var record = try SelfRegisteredClient.record(
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
  /// No answer, or trouble: it may be there later.
  case unreachable
  /// An answer that is no document for this client.
  case invalid
}
