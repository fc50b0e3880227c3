import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import Testing

/// A metadata document as a client reads it.
struct MetadataJSON {
  private let members: [String: Any]

  init(_ text: String) throws {
    self.members = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  func string(_ name: String) -> String? { self.members[name] as? String }
  func strings(_ name: String) -> [String] { self.members[name] as? [String] ?? [] }
  func flag(_ name: String) -> Bool? { self.members[name] as? Bool }
}

extension Site {
  /// Returns the server's OpenID configuration, and checks that it is JSON and names the server's issuer (OpenID
  /// Connect Discovery §4.2, §4.3).
  func metadata(sourceLocation: SourceLocation = #_sourceLocation) async throws -> MetadataJSON {
    let reply = try await self.send(.get, "/.well-known/openid-configuration")
    #expect(reply.status == .ok && reply.headers[.contentType] == "application/json", sourceLocation: sourceLocation)
    let metadata = try MetadataJSON(reply.body)
    #expect(metadata.string("issuer") == self.issuer.value, sourceLocation: sourceLocation)
    return metadata
  }
}
