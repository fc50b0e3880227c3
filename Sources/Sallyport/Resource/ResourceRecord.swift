#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// By which server and as which client somebody signed in to a resource, so that the session is found again without a network.
struct ResourceRecord: Codable, Sendable {
  /// How the app came to its identifier.
  enum Identity: String, Codable { case given, document, registered }

  var version = 1
  var issuer: Issuer
  var clientID: String
  var identity: Identity
  /// The resource's identifier, which its metadata confirmed.
  var resource: String

  /// The app's own name tells it from others that share the store.
  static func key(_ resource: EndpointURL, _ app: AppIdentity) -> TokenStoreKey {
    TokenStoreKey(
      kind: "resource \(resource.value)", issuer: "", clientID: app.metadata.softwareID ?? app.metadata.clientName ?? "")
  }

  /// - Returns: nil for a record of another version, and for none.
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
      throw .failed(reason: "the record of a resource could not be encoded")
    }
  }
}
