import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Resource indicators, RFC 8707")
struct ResourceTests {
  static let (api, mcp) = ("https://api.example/", "https://mcp.example/mcp")

  private func audience(_ reply: Reply) throws -> [String] {
    let claims = try decodedClaims(of: try #require(reply.json["access_token"]))
    return claims["aud"] as? [String] ?? [claims["aud"] as? String ?? ""]
  }

  @Test("S-37: a token is valid for the requested resources, or for fewer if a refresh requests fewer")
  func audiences() async throws {
    try await withSite { site in
      let request = AuthorizeParameters().with("resource", Self.api).repeating("resource", Self.mcp)
      let first = try await site.post("/token", site.redemption(try await site.code(request)))
      #expect(try self.audience(first) == [Self.api, Self.mcp])
      let tokens = try Tokens(first)
      // The userinfo endpoint is not in the audience of this token.
      #expect(try await site.userinfo(tokens.access).status == .unauthorized)
      let narrowed = try await site.refresh(tokens.refresh, changing: ["resource": Self.mcp])
      #expect(try self.audience(narrowed) == [Self.mcp])
      // The issuer can always be requested as a resource. It stands for the userinfo endpoint.
      let forServer = try await site.refresh(try Tokens(narrowed).refresh, changing: ["resource": "https://id.example"])
      #expect(try self.audience(forServer) == ["https://id.example"])
      #expect(try await site.userinfo(try Tokens(forServer).access).status == .ok)
      let last = try Tokens(forServer).refresh
      expectTokenError(try await site.refresh(last, changing: ["resource": "https://other.example"]), "invalid_target")
      #expect(try self.audience(try await site.refresh(last)) == [Self.api, Self.mcp])
    }
  }

  @Test(
    "an invalid resource is rejected",
    arguments: [
      "api", "https://api.example/#x", "http://api.example/", "https://", "https://a b/", "urn:api", "https://u@api.example/",
    ])
  func malformed(resource: String) async throws {
    try await withSite { site in
      let request = AuthorizeParameters().with("resource", resource)
      expectErrorRedirect(try await TestBrowser(site).authorize(request), "invalid_target", request)
    }
  }

  @Test("RFC 3986 §6.2.3: a URL with and without the path / is the same resource, in the operator's or the granted spelling")
  func emptyPath() async throws {
    try await withSite(configure: { $0.resources = ["https://mcp.example", Self.api] }) { site in
      for (requested, registered) in [("https://mcp.example/", "https://mcp.example"), ("https://api.example", Self.api)] {
        let code = try await site.code(AuthorizeParameters().with("resource", requested))
        let reply = try await site.redeem(code, changing: ["resource": requested])
        #expect(try self.audience(reply) == [registered])
        let refreshed = try await site.refresh(try Tokens(reply).refresh, changing: ["resource": requested])
        #expect(try self.audience(refreshed) == [registered])
      }
      for other in ["https://mcp.example/x", "https://mcp.example//", "https://mcp.example?", "https://MCP.example/"] {
        let request = AuthorizeParameters().with("resource", other)
        expectErrorRedirect(try await TestBrowser(site).authorize(request), "invalid_target", request)
      }
    }
    try await withSite { site in
      let request = AuthorizeParameters().with("resource", "https://mcp.example").repeating("resource", "https://mcp.example/")
      let code = try await site.code(request)
      #expect(try self.audience(try await site.redeem(code)) == ["https://mcp.example"])
    }
  }

  @Test("a redemption with a wrong resource does not consume the code; settings and registrations can limit the resources")
  func known() async throws {
    try await withSite(configure: { $0.resources = [Self.api, Self.mcp] }) { site in
      let code = try await site.code(AuthorizeParameters().with("resource", Self.api))
      expectTokenError(try await site.redeem(code, changing: ["resource": Self.mcp]), "invalid_target")
      #expect(try self.audience(try await site.redeem(code, changing: ["resource": Self.api])) == [Self.api])
      let unknown = AuthorizeParameters().with("resource", "https://unknown.example")
      expectErrorRedirect(try await TestBrowser(site).authorize(unknown), "invalid_target", unknown)
      var client = try TestClient.loopback.record
      client.details.resources = [Self.mcp]
      try await site.add(client)
      let otherResource = AuthorizeParameters().with("resource", Self.api)
      expectErrorRedirect(try await TestBrowser(site).authorize(otherResource), "invalid_target", otherResource)
    }
  }

  @Test("S-37: a client that repeats its original scope in a refresh gets the granted scope")
  func repeatedScope() async throws {
    try await withSite { site in
      // The client's registration does not include the scope `admin`, so the server does not grant it.
      let requestedScope = "openid offline_access notes admin"
      let tokens = try Tokens(try await site.redeem(try await site.code(AuthorizeParameters().with("scope", requestedScope))))
      let refreshed = try await site.refresh(tokens.refresh, changing: ["scope": requestedScope])
      #expect(refreshed.status == .ok && refreshed.json["scope"] == "openid offline_access notes")
      let last = try Tokens(refreshed).refresh
      for scope in ["openid admin", "admin", requestedScope + " email"] {
        expectTokenError(try await site.refresh(last, changing: ["scope": scope]), "invalid_scope")
      }
    }
  }
}
