import HTTPTypes
import ServerTestSupport
import Testing

@Suite("Revocation, RFC 7009")
struct RevocationTests {
  @Test(
    "revoking a token ends its grant, and a repeated revocation gets the same response",
    arguments: [true, false])
  func revokes(sendsRefreshToken: Bool) async throws {
    try await withSite { site in
      let (tokens, otherTokens) = (try await site.tokens(), try await site.tokens())
      let fields = [("token", sendsRefreshToken ? tokens.refresh : tokens.access), ("client_id", "loopback")]
      for _ in 0..<2 {
        let reply = try await site.post("/revoke", fields)
        #expect(reply.status == .ok && reply.body.isEmpty)
        #expect(reply.headers[.cacheControl] == "no-store")
      }
      expectTokenError(try await site.refresh(tokens.refresh), "invalid_grant")
      #expect(try await site.userinfo(tokens.access).status == .unauthorized)
      #expect(try site.fixture.revocations() == ["clientRequest"])
      #expect(try await site.refresh(otherTokens.refresh).status == .ok)
    }
  }

  @Test(
    "S-37: another client's token stays valid, and the response does not reveal that the token exists",
    arguments: [TestClient.privateUse, .claimedHTTPS, .dynamic])
  func otherClient(client: TestClient) async throws {
    try await withSite { site in
      let tokens = try await site.tokens()
      for token in [tokens.refresh, tokens.access] {
        let reply = try await site.post("/revoke", [("token", token), ("client_id", client.rawValue)])
        #expect(reply.status == .ok && reply.body.isEmpty)
      }
      #expect(try site.fixture.revocations().isEmpty)
      #expect(try await site.refresh(tokens.refresh).status == .ok)
    }
  }

  @Test(
    "revoking an unknown token is not an error",
    arguments: ["x", "slp_rt_x", "a.b.c", "slp_rt_" + String(repeating: "A", count: 49)])
  func unknown(token: String) async throws {
    try await withSite { site in
      let reply = try await site.post("/revoke", [("token", token), ("client_id", "loopback"), ("token_type_hint", "x")])
      #expect(reply.status == .ok)
    }
  }

  @Test("S-30: an unknown or unauthenticated client is rejected")
  func authentication() async throws {
    try await withSite { site in
      let tokens = try await site.tokens(.web)
      let cases: [[(String, String)]] = [
        [], [("client_id", "nobody")], [("client_id", "web")], [("client_id", "web"), ("client_secret", "x")],
        [("client_id", "loopback"), ("client_secret", "x")],
      ]
      for fields in cases {
        expectTokenError(
          try await site.post("/revoke", [("token", tokens.refresh)] + fields), "invalid_client", status: .unauthorized)
      }
      // The token is missing.
      expectTokenError(try await site.post("/revoke", [("client_id", "loopback")]), "invalid_request")
      #expect(try site.fixture.revocations().isEmpty)
    }
  }
}
