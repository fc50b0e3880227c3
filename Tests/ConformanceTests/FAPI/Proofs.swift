import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("fapi2-security-profile-final-test-plan: DPoP")
struct Proofs {
  /// A proof that was made at another time.
  private func proof(_ secure: SecureParty, _ path: String, method: String = "POST", token: String? = nil, after seconds: Int64)
    throws -> String
  {
    let target = try #require(DPoPTarget(method: method, url: "https://id.example\(path)"))
    return try DPoPProof.make(
      for: target, accessToken: token.map { Secret($0) }, nonce: secure.site.fixture.server.nonces.current,
      at: secure.site.fixture.clock.now + .seconds(seconds), by: secure.proofKey
    ).reveal()
  }

  @Test(
    """
    fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-before-succeeds, \
    fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-after-succeeds: \
    clocks may differ by ten seconds, at every endpoint
    """, arguments: [-10, 10] as [Int64])
  func clocks(_ seconds: Int64) async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let pushed = try await secure.push(proof: try self.proof(secure, "/par", after: seconds))
      let code = try #require(try await secure.answer(pushed).answer["code"])
      let reply = try await secure.party.redeem(
        code, changing: ["code_verifier": AuthorizeParameters.verifier], proof: try self.proof(secure, "/token", after: seconds))
      let token = try #require(reply.json["access_token"])
      let proof = try self.proof(secure, "/userinfo", method: "GET", token: token, after: seconds)
      #expect(try await secure.userinfo(token, proof: proof).status == .ok)
    }
  }

  @Test("fapi2-security-profile-final-ensure-mismatched-dpop-jkt-fails: a push whose dpop_jkt is not its proof's key is refused")
  func mismatchedThumbprint() async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let other = try SoftwareDPoPKeys().makeKey().publicKey.thumbprint
      let reply = try await secure.push(changing: ["dpop_jkt": other], proof: try secure.proof("/par"))
      expectTokenError(reply, "invalid_dpop_proof")
    }
  }

  @Test(
    """
    fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt, \
    fapi2-security-profile-final-ensure-token-endpoint-fails-with-mismatched-dpop-jkt, \
    fapi2-security-profile-final-ensure-dpopproof-at-par-endpoint-binding-success, \
    fapi2-security-profile-final-ensure-dpop-auth-code-binding-success: \
    a code that was asked for with a key, by proof, by dpop_jkt or by both, is for that key only
    """, arguments: [(true, false), (false, true), (true, true)])
  func binding(proves: Bool, names: Bool) async throws {
    try await withSite { site in
      let secure = try await SecureParty.registered(on: site)
      let thumbprint: String? = names ? secure.proofKey.publicKey.thumbprint : nil
      let pushed = try await secure.push(
        changing: ["dpop_jkt": thumbprint], proof: proves ? try secure.proof("/par") : nil)
      let code = try #require(try await secure.answer(pushed).answer["code"])
      let refusal = try await secure.redeem(code, by: try SoftwareDPoPKeys().makeKey())
      #expect(refusal.status == .badRequest && ["invalid_grant", "invalid_dpop_proof"].contains(refusal.json["error"]))
      #expect(try await secure.redeem(code).status == .ok)
    }
  }

  /// Proofs that break one rule each, for the API and for the token endpoint.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    var header: [String: JSONValue] = [:]
    var claims: @Sendable (Int64) -> [String: JSONValue] = { _ in [:] }
    var isRight = false
    var testDescription: String { self.name }
  }

  static let rows: [Row] = [
    Row(name: "nothing", isRight: true),
    Row(name: "another type", header: ["typ": "JWT"]), Row(name: "no type", header: ["typ": .null]),
    Row(name: "no signature", header: ["alg": "none"]), Row(name: "no key", header: ["jwk": .null]),
    Row(name: "no jti", claims: { _ in ["jti": .null] }), Row(name: "no htm", claims: { _ in ["htm": .null] }),
    Row(name: "no htu", claims: { _ in ["htu": .null] }), Row(name: "no iat", claims: { _ in ["iat": .null] }),
    Row(name: "another method", claims: { _ in ["htm": "PUT"] }),
    Row(name: "another address", claims: { _ in ["htu": "https://id.example/other"] }),
    Row(name: "too old", claims: { ["iat": .integer($0 - 3600)] }),
    Row(name: "from the future", claims: { ["iat": .integer($0 + 3600)] }),
    Row(name: "another token's hash", claims: { _ in ["ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"] }),
    Row(name: "no token's hash", claims: { _ in ["ath": .null] }),
  ]

  @Test(
    "fapi2-security-profile-final-dpop-negative-tests: a proof that breaks a rule is no proof", arguments: Proofs.rows)
  func negative(_ row: Row) async throws {
    try await withSite { site in
      let (secure, key) = (try await SecureParty.registered(on: site), TestSigningKey.es256(id: nil))
      var jwk = key.jwk
      for name in ["use", "alg"] { jwk[name] = nil }
      func proof(_ path: String, _ method: String, token: String? = nil, changing row: Row = Row(name: "")) throws -> String {
        var claims: [String: JSONValue] = [
          "jti": .string(UUID().uuidString), "htm": .string(method), "htu": .string("https://id.example\(path)"),
          "iat": .integer(site.now), "nonce": .string(site.fixture.server.nonces.current),
        ]
        if let token { claims["ath"] = .string(sha256(token)) }
        let header: [String: JSONValue] = ["typ": "dpop+jwt", "jwk": jwk]
        return try jwt(
          key, header: header.merging(row.header) { $1 }.filter { $0.value != .null },
          claims.merging(row.claims(site.now)) { $1 }.filter { $0.value != .null })
      }
      let code = try await secure.code()
      let verifier: [String: String?] = ["code_verifier": AuthorizeParameters.verifier]
      if !row.name.contains("token's hash") {
        let reply = try await secure.party.redeem(code, changing: verifier, proof: try proof("/token", "POST", changing: row))
        if row.isRight { #expect(reply.status == .ok) } else { expectTokenError(reply, "invalid_dpop_proof") }
        if row.isRight { return }
      }
      let reply = try await secure.party.redeem(code, changing: verifier, proof: try proof("/token", "POST"))
      let token = try #require(reply.json["access_token"])
      let refused = try await secure.userinfo(token, proof: try proof("/userinfo", "GET", token: token, changing: row))
      #expect(refused.status == .unauthorized && refused.headers[.wwwAuthenticate]?.hasPrefix("DPoP") == true)
      let right = try proof("/userinfo", "GET", token: token)
      #expect(try await secure.userinfo(token, proof: right).status == .ok)
      // A proof counts once; a token of a key is nothing without it.
      #expect(try await secure.userinfo(token, proof: right).status == .unauthorized)
      #expect(try await secure.userinfo(token, proof: nil).status == .unauthorized)
      #expect(try await secure.userinfo(token, proof: nil, scheme: "Bearer").status == .unauthorized)
    }
  }
}
