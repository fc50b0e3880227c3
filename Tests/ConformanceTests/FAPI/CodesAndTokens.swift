import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@Suite("fapi2-security-profile-final-test-plan, fapi2-message-signing-final-test-plan: codes")
struct CodesAndTokens {
  @Test(
    """
    fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second: \
    redeeming a code twice is invalid_grant, and revokes the access token
    """, arguments: FAPIPlan.allCases)
  func reuse(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      let code = try await client.code()
      let token = try #require(try await client.redeem(code).json["access_token"])
      #expect(try await client.userinfo(token).status == .ok)
      site.fixture.clock.advance(by: .seconds(1))
      expectTokenError(try await client.redeem(code), "invalid_grant")
      #expect(try await client.userinfo(token).status == .unauthorized)
    }
  }

  @Test(
    "fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code: a code is invalid_grant after 60 seconds",
    arguments: FAPIPlan.allCases)
  func expired(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      let (validCode, expiredCode) = (try await client.code(), try await client.code())
      site.fixture.clock.advance(by: .seconds(59))
      #expect(try await client.redeem(validCode).status == .ok)
      site.fixture.clock.advance(by: .seconds(1))
      expectTokenError(try await client.redeem(expiredCode), "invalid_grant")
    }
  }

  @Test(
    """
    fapi2-security-profile-final-ensure-pkce-code-verifier-required, \
    fapi2-security-profile-final-incorrect-pkce-code-verifier-rejected: \
    a code without its verifier, or with another one, is invalid_grant
    """, arguments: [nil, "another-verifier-of-sufficient-length-0123456789"], FAPIPlan.allCases)
  func verifier(_ verifier: String?, _ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      expectTokenError(try await client.redeem(try await client.code(), changing: ["code_verifier": verifier]), "invalid_grant")
    }
  }

  @Test(
    "fapi2-security-profile-final-ensure-holder-of-key-required: the token endpoint requires a DPoP proof",
    arguments: FAPIPlan.allCases)
  func holderOfKey(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      // Unlike `client.redeem`, the method of `party` sends no proof.
      let reply = try await client.party.redeem(
        try await client.code(), changing: ["code_verifier": AuthorizeParameters.verifier])
      expectTokenError(reply, "invalid_dpop_proof")
    }
  }

  @Test(
    "fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client: a code of another client is invalid_grant",
    arguments: FAPIPlan.allCases)
  func otherClientsCode(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let one = try await FAPIClient.registered(on: site, for: plan)
      let other = try await FAPIClient.registered(on: site, for: plan)
      let code = try await one.code()
      // The proof is signed with the correct key, so that only the client is wrong.
      expectTokenError(try await other.redeem(code, by: one.proofKey), "invalid_grant")
      #expect(try await one.redeem(code).status == .ok)
    }
  }
}
