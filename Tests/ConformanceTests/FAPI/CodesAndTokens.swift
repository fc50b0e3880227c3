import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@Suite("fapi2-security-profile-final-test-plan: codes and tokens")
struct CodesAndTokens {
  @Test("fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second: invalid_grant, and the token ends")
  func reuse() async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let code = try await secure.code()
      let token = try #require(try await secure.redeem(code).json["access_token"])
      site.fixture.clock.advance(by: .seconds(1))
      expectTokenError(try await secure.redeem(code), "invalid_grant")
      let proof = try secure.proof("/userinfo", method: "GET", accessToken: token)
      #expect(try await secure.userinfo(token, proof: proof).status == .unauthorized)
    }
  }

  @Test("fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code: after a minute a code is invalid_grant")
  func expired() async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let code = try await secure.code()
      site.fixture.clock.advance(by: .seconds(60))
      expectTokenError(try await secure.redeem(code), "invalid_grant")
    }
  }

  @Test(
    """
    fapi2-security-profile-final-ensure-pkce-code-verifier-required, \
    fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected: \
    without the verifier, or with another, a code is invalid_grant
    """, arguments: [nil, "another-verifier-of-sufficient-length-0123456789"])
  func verifier(_ verifier: String?) async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      expectTokenError(try await secure.redeem(try await secure.code(), changing: ["code_verifier": verifier]), "invalid_grant")
    }
  }

  @Test("fapi2-security-profile-final-ensure-holder-of-key-required: without a proof there is no token")
  func holderOfKey() async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let reply = try await secure.party.redeem(
        try await secure.code(), changing: ["code_verifier": AuthorizeParameters.verifier])
      expectTokenError(reply, "invalid_dpop_proof")
    }
  }

  @Test(
    """
    fapi2-security-profile-final-refresh-token: a refresh token works for its client, with that client's assertion and a proof, \
    and for nobody else
    """)
  func refresh() async throws {
    try await withSite { site in
      let (secure, other) = (try await SecureParty.registered(on: site), try await SecureParty.registered(on: site))
      let first = try await secure.signIn()
      let token = try #require(first.tokens["refresh_token"])
      let unauthenticated = try await secure.party.refresh(
        token, changing: ["client_assertion": nil, "client_assertion_type": nil, "client_id": secure.party.id],
        proof: try secure.proof("/token"))
      expectTokenError(unauthenticated, "invalid_client", status: .unauthorized)
      expectTokenError(try await secure.party.refresh(token), "invalid_dpop_proof")
      expectTokenError(try await other.party.refresh(token, proof: try other.proof("/token")), "invalid_grant")
      let reply = try await secure.party.refresh(token, proof: try secure.proof("/token"))
      #expect(reply.status == .ok && reply.json["token_type"] == "DPoP")
      let access = try #require(reply.json["access_token"])
      let proof = try secure.proof("/userinfo", method: "GET", accessToken: access)
      #expect(try await secure.userinfo(access, proof: proof).json["sub"] == first.idToken.sub)
    }
  }
}
