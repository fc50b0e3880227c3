import Foundation
import SallyportProtocol
import ServerTestSupport
import Testing

@Suite("Introspection of refresh tokens")
struct RotatedTokenIntrospectionTests {
  @Test("RFC 7662 §2.2: a refresh token is inactive once it was replaced, even during the reuse interval")
  func rotated() async throws {
    try await withSite { site in
      let first = try await site.tokens(.web).refresh
      #expect(try await self.isActive(first, site) == true)
      let second = try Tokens(try await site.refresh(first, .web)).refresh
      #expect(try await self.isActive(first, site) == false)
      #expect(try await self.isActive(second, site) == true)
    }
  }

  private func isActive(_ token: String, _ site: Site) async throws -> Bool? {
    let reply = try await site.post(
      "/introspect", [("token", token), ("client_id", "web"), ("client_secret", TestClient.secret)])
    return (try JSONSerialization.jsonObject(with: Data(reply.body.utf8)) as? [String: Any])?["active"] as? Bool
  }
}
