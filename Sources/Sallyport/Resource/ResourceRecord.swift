#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// The authorization server and the client identifier of a sign-in to a resource (an API). They are stored so that the
/// session can be found without network access.
struct ResourceRecord: Codable, Sendable {
  /// How the app got its client identifier: the app's developer specified it (`given`), it is the URL of the app's
  /// metadata document, or the app registered itself.
  enum Identity: String, Codable { case given, document, registered }

  var version = 1
  var issuer: Issuer
  var clientID: String
  var identity: Identity
  /// The resource identifier, as confirmed by the resource's metadata.
  var resource: String

  /// The record's key. It contains the app's software identifier or name, in case several apps share the store.
  static func key(_ resource: EndpointURL, _ app: AppIdentity) -> TokenStoreKey {
    TokenStoreKey(
      kind: "resource \(resource.value)", issuer: "", clientID: app.metadata.softwareID ?? app.metadata.clientName ?? "")
  }

  /// Decodes a stored record.
  /// - Returns: `nil` if the data is not a record of the current version.
  static func decode(_ stored: Secret<[UInt8]>) -> ResourceRecord? {
    guard let record = try? JSONDecoder().decode(ResourceRecord.self, from: Data(stored.reveal())), record.version == 1 else {
      return nil
    }
    return record
  }

  func encoded() throws(TokenStoreError) -> Secret<[UInt8]> {
    do {
      return Secret(Array(try JSONEncoder().encode(self)))
    } catch {
      throw .failed(reason: "the record of a resource could not be encoded as JSON")
    }
  }
}
