import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("PKCE that an operator requires of a confidential client")
struct RequiredPKCETests {
  /// Runs `body` on a server.
  /// - Parameter isRequired: Whether the client ``TestClient/web`` must use PKCE, or may omit it.
  private func site(isRequired: Bool, _ body: @Sendable (Site) async throws -> Void) async throws {
    try await withSite { site in
      var client = try TestClient.web.record
      client.details.requiresPKCE = isRequired ? true : nil
      try await site.add(client)
      try await body(site)
    }
  }

  private static let withoutChallenge = AuthorizeParameters(.web).with("code_challenge", nil).with("code_challenge_method", nil)

  @Test("S-02: a request without a challenge is rejected at the authorization endpoint and when it is pushed")
  func required() async throws {
    try await self.site(isRequired: true) { site in
      let reply = try await site.send(.get, "/authorize?\(Self.withoutChallenge.query)")
      expectErrorRedirect(reply, "invalid_request", Self.withoutChallenge)
      let secret = [(name: "client_secret", value: TestClient.secret)]
      expectTokenError(try await site.post("/par", Self.withoutChallenge.list + secret), "invalid_request")
      #expect(try await site.post("/par", AuthorizeParameters(.web).list + secret).status == .created)
      let code = try await site.code(AuthorizeParameters(.web))
      expectTokenError(try await site.redeem(code, .web, changing: ["code_verifier": nil]), "invalid_grant")
      #expect(try await site.redeem(code, .web).status == .ok)
    }
  }

  @Test("a confidential client can omit PKCE unless it is required")
  func optional() async throws {
    try await self.site(isRequired: false) { site in
      let code = try await site.code(Self.withoutChallenge)
      #expect(try await site.redeem(code, .web, changing: ["code_verifier": nil]).status == .ok)
    }
  }
}
