import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("fapi2-security-profile-final-test-plan, fapi2-message-signing-final-test-plan: DPoP")
struct Proofs {
  @Test(
    """
    fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-before-succeeds, \
    fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-after-succeeds: \
    at the three endpoints that receive proofs, the clocks of client and server may differ by ten seconds
    """, arguments: [-10, 10] as [Int64], FAPIPlan.allCases)
  func clocks(_ seconds: Int64, _ plan: FAPIPlan) async throws {
    try await self.succeeds(plan) { proof, now in proof.claims["iat"] = .integer(now + seconds) }
  }

  @Test(
    "fapi2-security-profile-final-check-dpop-proof-nbf-exp: a proof may have nbf and exp claims", arguments: FAPIPlan.allCases)
  func validityClaims(_ plan: FAPIPlan) async throws {
    try await self.succeeds(plan) { proof, now in
      proof.claims["nbf"] = .integer(now)
      proof.claims["exp"] = .integer(now + 300)
    }
  }

  /// Signs a user in and requests user information, with proofs that `change` has changed. Every request must succeed.
  /// - Parameter change: Changes a proof. The second argument is the server's time in seconds since 1970.
  private func succeeds(_ plan: FAPIPlan, changing change: @Sendable (inout ProofDraft, Int64) -> Void) async throws {
    try await withSite { site in
      let (client, key) = (try await FAPIClient.registered(on: site, for: plan), TestSigningKey.es256(id: nil))
      func proof(_ path: String, _ method: String = "POST", token: String? = nil) throws -> String {
        var draft = ProofDraft(path, method: method, accessToken: token, on: site, by: key)
        change(&draft, site.now)
        return try draft.signed()
      }
      let code = try #require(try await client.authorize(try await client.push(proof: try proof("/par"))).parameters["code"])
      let reply = try await client.party.redeem(
        code, changing: ["code_verifier": AuthorizeParameters.verifier], proof: try proof("/token"))
      let token = try #require(reply.json["access_token"], "\(reply.body)")
      #expect(try await client.userinfo(token, proof: try proof("/userinfo", "GET", token: token)).status == .ok)
    }
  }

  @Test(
    "fapi2-security-profile-final-ensure-mismatched-dpop-jkt-fails: a dpop_jkt must match the key of the proof in the same request",
    arguments: FAPIPlan.allCases)
  func mismatchedThumbprint(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      let other = try SoftwareDPoPKeys().makeKey().publicKey.thumbprint
      let reply = try await client.push(client.request.with("dpop_jkt", other), proof: try client.proof("/par"))
      expectTokenError(reply, "invalid_dpop_proof")
    }
  }

  @Test(
    """
    fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt, \
    fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-jkt, \
    fapi2-security-profile-final-ensure-dpopproof-at-par-endpoint-binding-success, \
    fapi2-security-profile-final-ensure-dpop-auth-code-binding-success: \
    a code is bound to the key of the proof or of the dpop_jkt with which it was requested
    """, arguments: [(true, false), (false, true), (true, true)], FAPIPlan.allCases)
  func binding(_ by: (proof: Bool, thumbprint: Bool), _ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      let thumbprint: String? = by.thumbprint ? client.proofKey.publicKey.thumbprint : nil
      let pushed = try await client.push(
        client.request.with("dpop_jkt", thumbprint), proof: by.proof ? try client.proof("/par") : nil)
      let code = try #require(try await client.authorize(pushed).parameters["code"])
      let errorResponse = try await client.redeem(code, by: try SoftwareDPoPKeys().makeKey())
      #expect(
        errorResponse.status == .badRequest && ["invalid_grant", "invalid_dpop_proof"].contains(errorResponse.json["error"]))
      #expect(try await client.redeem(code).status == .ok)
    }
  }

  @Test(
    """
    fapi2-security-profile-final-access-token-type-header-case-sensitivity: \
    the authentication scheme of the access token is not case-sensitive
    """, arguments: ["dpOp", "DPOP", "dpop"])
  func scheme(_ scheme: String) async throws {
    try await withSite { site in
      for plan in FAPIPlan.allCases {
        let client = try await FAPIClient.registered(on: site, for: plan)
        let signIn = try await client.signIn()
        let proof = try client.proof("/userinfo", method: "GET", accessToken: signIn.accessToken)
        let reply = try await client.userinfo(signIn.accessToken, proof: proof, scheme: scheme)
        #expect(reply.status == .ok && reply.json["sub"] == signIn.idToken.sub)
      }
    }
  }
}
