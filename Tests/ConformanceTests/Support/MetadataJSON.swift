import Foundation
import HTTPTestSupport
import HTTPTypes
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
  func metadata() async throws -> MetadataJSON {
    try MetadataJSON(try await self.send(.get, "/.well-known/openid-configuration").body)
  }
}
