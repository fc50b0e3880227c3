import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("DPoP, RFC 9449")
struct DPoPTests {
  private func key() throws -> any DPoPKey { try SoftwareDPoPKeys().makeKey() }

  private func boundTokens(_ site: Site, _ key: any DPoPKey) async throws -> Tokens {
    let reply = try await site.post("/token", site.redemption(try await site.code()), proof: try site.proof(key, "/token"))
    #expect(reply.json["token_type"] == "DPoP" && reply.headers[.dpopNonce] != nil)
    return try Tokens(reply)
  }

  private func userinfo(_ site: Site, _ token: String, _ scheme: String, proof: String?) async throws -> Reply {
    var headers: HTTPFields = [.authorization: "\(scheme) \(token)"]
    headers[.dpop] = proof
    return try await site.send(.get, "/userinfo", headers: headers)
  }

  @Test("a token is bound to the key of the proof, and cannot be used as a bearer token")
  func bound() async throws {
    try await withSite { site in
      let key = try self.key()
      let tokens = try await self.boundTokens(site, key)
      let confirmation = try decodedClaims(of: tokens.access)["cnf"] as? [String: String]
      #expect(confirmation == ["jkt": key.publicKey.thumbprint])
      func proof(_ key: any DPoPKey, _ token: String?) throws -> String {
        try site.proof(key, "/userinfo", method: "GET", accessToken: token)
      }
      #expect(try await self.userinfo(site, tokens.access, "DPoP", proof: try proof(key, tokens.access)).status == .ok)
      for (scheme, proof) in [
        ("Bearer", nil), ("Bearer", try proof(key, tokens.access)), ("DPoP", nil), ("DPoP", "x"),
        ("DPoP", try proof(self.key(), tokens.access)), ("DPoP", try proof(key, nil)), ("DPoP", try proof(key, "other")),
      ] {
        let reply = try await self.userinfo(site, tokens.access, scheme, proof: proof)
        #expect(reply.status == .unauthorized)
        #expect(reply.headers[.wwwAuthenticate]?.hasPrefix("DPoP ") == true)
      }
      // a bearer token cannot be used with the DPoP scheme.
      let bearer = try await site.tokens(.claimedHTTPS)
      #expect(try await self.userinfo(site, bearer.access, "DPoP", proof: try proof(key, bearer.access)).status == .unauthorized)
    }
  }

  @Test("R-02: a DPoP-bound token is rejected in a form, with and without a proof")
  func boundTokenInForm() async throws {
    try await withSite { site in
      let key = try self.key()
      let token = try await self.boundTokens(site, key).access
      let form: [(name: String, value: String)] = [("access_token", token)]
      let proof = try site.proof(key, "/userinfo", accessToken: token)
      for reply in [try await site.post("/userinfo", form), try await site.post("/userinfo", form, proof: proof)] {
        #expect(reply.status == .unauthorized)
        #expect(reply.headers[.wwwAuthenticate]?.hasPrefix("DPoP ") == true)
      }
    }
  }

  @Test("a proof requires the nonce that the server provides, which is valid for a limited time", arguments: [nil, "wrong"])
  func nonces(nonce: String?) async throws {
    try await withSite { site in
      let (key, code) = (try self.key(), try await site.code())
      let reply = try await site.post(
        "/token", site.redemption(code), proof: try site.proof(key, "/token", nonce: nonce))
      expectTokenError(reply, "use_dpop_nonce")
      let providedNonce = try #require(reply.headers[.dpopNonce])
      #expect(reply.headers[.accessControlExposeHeaders]?.contains("DPoP-Nonce") == true)
      // A nonce is valid for at least 120 and at most 240 seconds.
      site.fixture.clock.advance(by: .seconds(50))
      let next = try await site.post("/token", site.redemption(code), proof: try site.proof(key, "/token", nonce: providedNonce))
      #expect(next.status == .ok)
      site.fixture.clock.advance(by: .seconds(400))
      let expired = try await site.post(
        "/token", site.redemption(try await site.code()), proof: try site.proof(key, "/token", nonce: providedNonce))
      expectTokenError(expired, "use_dpop_nonce")
    }
  }

  @Test(
    "a failed request with a valid code uses up its proof; a request with an invalid proof does not use up its code"
  )
  func wrongProofs() async throws {
    try await withSite { site in
      let (key, code) = (try self.key(), try await site.code())
      let usedProof = try site.proof(key, "/token")
      let wrong = site.redemption(code).map { $0.name == "code_verifier" ? ($0.name, String($0.value.reversed())) : $0 }
      expectTokenError(try await site.post("/token", wrong, proof: usedProof), "invalid_grant")
      for proof in [
        usedProof, try site.proof(key, "/par"), try site.proof(key, "/token", method: "GET"), "x", "x.y.z",
      ] {
        expectTokenError(try await site.post("/token", site.redemption(code), proof: proof), "invalid_dpop_proof")
      }
      #expect(try await site.post("/token", site.redemption(code), proof: try site.proof(key, "/token")).status == .ok)
    }
  }

  @Test("S-23: a public client's refresh token is bound to the client's key; a confidential client may change keys")
  func refreshing() async throws {
    try await withSite { site in
      let key = try self.key()
      let tokens = try await self.boundTokens(site, key)
      let fields: [(name: String, value: String)] = [
        ("grant_type", "refresh_token"), ("refresh_token", tokens.refresh), ("client_id", "loopback"),
      ]
      expectTokenError(try await site.post("/token", fields), "invalid_dpop_proof")
      expectTokenError(
        try await site.post("/token", fields, proof: try site.proof(self.key(), "/token")), "invalid_grant")
      #expect(try await site.post("/token", fields, proof: try site.proof(key, "/token")).status == .ok)

      let secret = [(name: "client_secret", value: TestClient.secret)]
      let code = try await site.code(AuthorizeParameters(.web))
      let web = try Tokens(
        try await site.post("/token", site.redemption(code, .web) + secret, proof: try site.proof(key, "/token")))
      let refresh: [(name: String, value: String)] = [
        ("grant_type", "refresh_token"), ("refresh_token", web.refresh), ("client_id", "web"),
      ]
      // The confidential client refreshes with a new key.
      #expect(try await site.post("/token", refresh + secret, proof: try site.proof(self.key(), "/token")).status == .ok)
    }
  }

  @Test(
    "S-23: a refresh with a proof binds the new refresh token of a public client to the key, even after a sign-in without one")
  func bindingLater() async throws {
    try await withSite { site in
      let key = try self.key()
      func form(_ token: String) -> [(name: String, value: String)] {
        [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "loopback")]
      }
      let unbound = try await site.tokens()
      let first = try Tokens(try await site.post("/token", form(unbound.refresh), proof: try site.proof(key, "/token")))
      expectTokenError(try await site.post("/token", form(first.refresh)), "invalid_dpop_proof")
      expectTokenError(
        try await site.post("/token", form(first.refresh), proof: try site.proof(self.key(), "/token")), "invalid_grant")
      #expect(try await site.post("/token", form(first.refresh), proof: try site.proof(key, "/token")).status == .ok)
    }
  }

  @Test("RFC 6749 §4.1.2: using a code again with another key is a replay, and revokes its tokens")
  func replayWithAnotherKey() async throws {
    try await withSite { site in
      let (thief, code) = (try self.key(), try await site.code())
      let stolen = try Tokens(try await site.post("/token", site.redemption(code), proof: try site.proof(thief, "/token")))
      expectTokenError(
        try await site.post("/token", site.redemption(code), proof: try site.proof(self.key(), "/token")), "invalid_grant")
      let refresh: [(name: String, value: String)] = [
        ("grant_type", "refresh_token"), ("refresh_token", stolen.refresh), ("client_id", "loopback"),
      ]
      expectTokenError(try await site.post("/token", refresh, proof: try site.proof(thief, "/token")), "invalid_grant")
    }
  }

  @Test("RFC 9449 §10: a code requested with dpop_jkt is bound to that key")
  func boundCode() async throws {
    try await withSite { site in
      let key = try self.key()
      let request = AuthorizeParameters().with("dpop_jkt", key.publicKey.thumbprint)
      let code = try await site.code(request)
      expectTokenError(try await site.post("/token", site.redemption(code)), "invalid_dpop_proof")
      expectTokenError(
        try await site.post("/token", site.redemption(code), proof: try site.proof(self.key(), "/token")), "invalid_grant")
      #expect(try await site.post("/token", site.redemption(code), proof: try site.proof(key, "/token")).status == .ok)
      let wrong = AuthorizeParameters().with("dpop_jkt", "short")
      expectErrorRedirect(try await TestBrowser(site).authorize(wrong), "invalid_request", wrong)
    }
  }

  @Test("RFC 9449 §5.2: a client registered for DPoP-bound tokens gets no bearer token")
  func required() async throws {
    try await withSite { site in
      var client = try TestClient.loopback.record
      client.details.requiresDPoP = true
      try await site.add(client)
      let code = try await site.code()
      expectTokenError(try await site.post("/token", site.redemption(code)), "invalid_dpop_proof")
      #expect(try await site.post("/token", site.redemption(code), proof: try site.proof(self.key(), "/token")).status == .ok)
    }
  }
}
