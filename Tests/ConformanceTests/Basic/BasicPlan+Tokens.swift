import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

extension BasicPlan {
  @Suite(
    """
    oidcc-basic-certification-test-plan, oidcc-formpost-basic-certification-test-plan, oidcc-dynamic-certification-test-plan: \
    codes and tokens
    """)
  struct Tokens {
    // The arguments are the seconds between the two redemptions: one module of the suite repeats a redemption at once,
    // and another module waits for 30 seconds.
    @Test("RFC 6749 §4.1.2: redeeming a code twice is invalid_grant, and revokes the access token", arguments: [0, 30])
    func codeReuse(after seconds: Int) async throws {
      try await withSite { site in
        let party = RelyingParty.configured(on: site)
        let signIn = try await party.signIn()
        #expect(try await site.userinfo(signIn.accessToken).status == .ok)
        site.fixture.clock.advance(by: .seconds(seconds))
        expectTokenError(try await party.redeem(signIn.code), "invalid_grant")
        #expect(try await site.userinfo(signIn.accessToken).status == .unauthorized)
      }
    }

    @Test(
      "oidcc-userinfo-get, oidcc-userinfo-post-header: userinfo accepts the token in the header of a GET and of a POST",
      arguments: [HTTPRequest.Method.get, .post], ResponseMode.allCases)
    func userinfo(method: HTTPRequest.Method, _ mode: ResponseMode) async throws {
      try await withSite { site in
        let signIn = try await RelyingParty.configured(on: site).receiving(by: mode).signIn()
        let headers: HTTPFields = [.authorization: "Bearer \(signIn.accessToken)"]
        let reply = try await site.send(method, "/userinfo", headers: headers)
        #expect(reply.status == .ok && reply.headers[.contentType]?.hasPrefix("application/json") == true)
        #expect(reply.json["sub"] == signIn.idToken.sub)
      }
    }

    @Test("oidcc-userinfo-post-body: a token in a form returns the claims of its user", arguments: ResponseMode.allCases)
    func userinfoBody(_ mode: ResponseMode) async throws {
      try await withSite { site in
        let signIn = try await RelyingParty.configured(on: site).receiving(by: mode).signIn()
        let reply = try await site.post("/userinfo", [("access_token", signIn.accessToken)])
        #expect(reply.status == .ok && reply.headers[.contentType]?.hasPrefix("application/json") == true)
        #expect(reply.json["sub"] == signIn.idToken.sub)
        #expect(try await site.post("/userinfo", [("access_token", signIn.accessToken + "x")]).status == .unauthorized)
      }
    }

    @Test(
      "oidcc-refresh-token: a refresh returns new tokens for the same user, and only to the client of the token",
      arguments: ResponseMode.allCases)
    func refreshToken(_ mode: ResponseMode) async throws {
      try await withSite { site in
        let party = try await RelyingParty.registered(on: site).receiving(by: mode)
        let other = try await RelyingParty.registered(on: site).receiving(by: mode)
        for (client, otherClient) in [(party, other), (other, party)] {
          let first = try await client.signIn(client.request.with("prompt", "consent"))
          site.fixture.clock.advance(by: .seconds(1))
          let second = try await client.refreshed(first)
          #expect(try await site.userinfo(second.accessToken).json["sub"] == first.idToken.sub)
          expectTokenError(try await otherClient.refresh(second.refreshToken), "invalid_grant")
        }
      }
    }
  }
}
