#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

extension ResourceServer {
  /// Where the metadata are, RFC 9728 §3.1: the well-known path stands between the API's host and its own path.
  public var metadataURL: String { WellKnown.protectedResource(of: self.resource) }

  /// The path of ``metadataURL``, without the query that a resource may have.
  public var metadataPath: String {
    let path = self.resource.components.path
    return WellKnown.protectedResourcePath + (path == "/" ? "" : path)
  }

  /// The document to answer a GET of ``metadataPath`` with, as `application/json`.
  public var metadataDocument: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts and a truth value, which nothing can keep from being encoded.
    return Array((try? encoder.encode(self.metadata)) ?? Data("{}".utf8))
  }
}
