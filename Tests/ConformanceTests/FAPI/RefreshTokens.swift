import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@Suite("fapi2-security-profile-final-test-plan, fapi2-message-signing-final-test-plan: refresh tokens")
struct RefreshTokens {
  @Test(
    """
    fapi2-security-profile-final-refresh-token: a confidential client refreshes with a new DPoP key each time, repeats a refresh after \
    31 seconds, and needs a proof and a client assertion; a client cannot use the tokens of another client
    """, arguments: FAPIPlan.allCases)
  func refresh(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let one = try await FAPIClient.registered(on: site, for: plan)
      let other = try await FAPIClient.registered(on: site, for: plan)
      _ = try await self.refreshes(one)
      let last = try await self.refreshes(other)

      // The first client cannot use the second client's tokens.
      #expect(try await one.userinfo(last.accessToken).status == .unauthorized)
      expectTokenError(try await one.party.refresh(last.refreshToken, proof: try one.proof("/token")), "invalid_grant")
      #expect(try await other.party.refresh(last.refreshToken, proof: try other.proof("/token")).status == .ok)
    }
  }

  /// Runs the steps of the module for one client.
  /// - Returns: The result of the last refresh.
  private func refreshes(_ client: FAPIClient) async throws -> RelyingParty.SignIn {
    let (site, party) = (client.site, client.party)
    let first = try await client.signIn(client.request.with("prompt", "consent"))
    site.fixture.clock.advance(by: .seconds(1))
    let rotated = try await self.refresh(first, client)
    #expect(rotated.refreshToken != first.refreshToken)

    // The client repeats the refresh as if it had lost the response (FAPI 2.0 Security Profile §5.3.2.1 number 9).
    site.fixture.clock.advance(by: .seconds(31))
    let repeated = try await self.refresh(first, client)
    #expect(repeated.refreshToken == rotated.refreshToken && repeated.accessToken != rotated.accessToken)

    // A refresh without a DPoP proof, and a refresh without a client assertion, are rejected.
    expectTokenError(try await party.refresh(repeated.refreshToken), "invalid_dpop_proof")
    let unauthenticated = try await party.refresh(
      repeated.refreshToken,
      changing: ["client_assertion": nil, "client_assertion_type": nil, "client_id": party.id], proof: try client.proof("/token"))
    expectTokenError(unauthenticated, "invalid_client", status: .unauthorized)
    return repeated
  }

  /// Refreshes with a new DPoP key, and checks that the new access token is bound to this key.
  private func refresh(_ first: RelyingParty.SignIn, _ client: FAPIClient) async throws -> RelyingParty.SignIn {
    let key = try SoftwareDPoPKeys().makeKey()
    let result = try await client.party.refreshed(first, proof: try client.proof("/token", by: key))
    let proof = try client.proof("/userinfo", method: "GET", accessToken: result.accessToken, by: key)
    #expect(try await client.userinfo(result.accessToken, proof: proof).json["sub"] == first.idToken.sub)
    #expect(try await client.userinfo(result.accessToken).status == .unauthorized)
    return result
  }
}
