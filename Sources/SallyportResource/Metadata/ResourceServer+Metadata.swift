#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

extension ResourceServer {
  /// The URL of the metadata: the well-known path is inserted between the API's host and path (RFC 9728 §3.1).
  public var metadataURL: String { WellKnown.protectedResource(of: self.resource) }

  /// The path of ``metadataURL``, without the query that a resource can have.
  public var metadataPath: String { WellKnown.protectedResourcePath(of: self.resource) }

  /// The response body for a GET request to ``metadataPath``, with the media type `application/json`.
  public var metadataDocument: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The document contains only strings and Booleans, so encoding doesn't fail.
    return Array((try? encoder.encode(self.metadata)) ?? Data("{}".utf8))
  }
}
