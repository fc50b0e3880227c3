import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Reuse of DPoP proofs, RFC 9449 §11.1")
struct DPoPReuseTests {
  private func key() throws -> any DPoPKey { try SoftwareDPoPKeys().makeKey() }

  /// Runs `body` on a server whose client ``TestClient/loopback`` may use the device grant.
  private func withDevices(_ body: @Sendable (Site) async throws -> Void) async throws {
    try await withSite { site in
      var client = try TestClient.loopback.record
      client.grantTypes.append(.deviceCode)
      try await site.add(client)
      try await body(site)
    }
  }

  private func refreshForm(_ token: String) -> [(name: String, value: String)] {
    [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "loopback")]
  }

  /// Returns a refresh token that is bound to the key.
  private func refreshToken(_ site: Site, _ key: any DPoPKey) async throws -> String {
    let code = try await site.code()
    return try Tokens(try await site.post("/token", site.redemption(code), proof: try site.proof(key, "/token"))).refresh
  }

  @Test("S-42: a rejected request stores no proof if it contains no valid credential of its client")
  func withoutCredential() async throws {
    try await self.withDevices { site in
      let key = try self.key()
      let revoked = try await site.tokens()
      _ = try await site.post("/revoke", [("token", revoked.refresh), ("client_id", "loopback")])
      // A code and a device code that the server has not issued.
      let code = AuthorizationCode.random(of: GrantID(rawValue: "none")).text.reveal()
      let device = OpaqueToken.random(.deviceCode).text.reveal()
      let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
      let requests: [(path: String, form: [(name: String, value: String)])] = [
        ("/token", site.redemption(code)), ("/token", self.refreshForm("x")),
        // Another client presents a revoked refresh token.
        ("/token", self.refreshForm(revoked.refresh).map { $0.name == "client_id" ? ($0.name, "claimed") : $0 }),
        ("/token", [("grant_type", deviceGrant), ("device_code", device), ("client_id", "loopback")]),
        ("/token", [("grant_type", "client_credentials"), ("client_id", "loopback")]),
        ("/par", AuthorizeParameters().with("scope", "admin").list),
        ("/device_authorization", [("client_id", "loopback"), ("scope", "admin")]),
      ]
      try await site.expectingSameRowCounts {
        for (path, form) in requests {
          let reply = try await site.post(path, form, proof: try site.proof(key, path))
          #expect(reply.status.kind == .clientError, "\(path) \(form)")
        }
      }
    }
  }

  @Test("userinfo stores the proof of a successful request, but not of a request with a revoked token")
  func userinfo() async throws {
    try await withSite { site in
      let key = try self.key()
      let tokens = try Tokens(
        try await site.post("/token", site.redemption(try await site.code()), proof: try site.proof(key, "/token")))
      func ask(_ proof: String) async throws -> HTTPResponse.Status {
        try await site.send(.get, "/userinfo", headers: [.authorization: "DPoP \(tokens.access)", .dpop: proof]).status
      }
      let proof = try site.proof(key, "/userinfo", method: "GET", accessToken: tokens.access)
      #expect(try await ask(proof) == .ok)
      #expect(try await ask(proof) == .unauthorized)
      _ = try await site.post("/revoke", [("token", tokens.refresh), ("client_id", "loopback")])
      try await site.expectingSameRowCounts {
        let status = try await ask(try site.proof(key, "/userinfo", method: "GET", accessToken: tokens.access))
        #expect(status == .unauthorized)
      }
    }
  }

  @Test("of eight simultaneous requests with the same proof, exactly one succeeds")
  func concurrent() async throws {
    try await withSite { site in
      let key = try self.key()
      var tokens: [String] = []
      for _ in 0..<8 { tokens.append(try await self.refreshToken(site, key)) }
      let proof = try site.proof(key, "/token")
      let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
        for token in tokens {
          group.addTask { try await site.post("/token", self.refreshForm(token), proof: proof).status }
        }
        return try await group.reduce(into: [HTTPResponse.Status]()) { $0.append($1) }
      }
      #expect(statuses.filter { $0 == .ok }.count == 1 && statuses.filter { $0 == .badRequest }.count == 7)
      // The rejected requests did not use up their refresh tokens. The successful request used up its token, but within
      // the reuse interval, a used token still works.
      let successes = try await withThrowingTaskGroup(of: Bool.self) { group in
        for token in tokens {
          group.addTask {
            try await site.post("/token", self.refreshForm(token), proof: try site.proof(key, "/token")).status == .ok
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(successes == 8)
    }
  }

  @Test("the proof of a rejected request is used up if the request contained a valid credential of its client")
  func rejected() async throws {
    try await withSite { site in
      let key = try self.key()
      let token = try await self.refreshToken(site, key)
      let usedProof = try site.proof(key, "/token")
      expectTokenError(
        try await site.post("/token", self.refreshForm(token) + [("scope", "admin")], proof: usedProof), "invalid_scope")
      expectTokenError(try await site.post("/token", self.refreshForm(token), proof: usedProof), "invalid_dpop_proof")
      #expect(try await site.post("/token", self.refreshForm(token), proof: try site.proof(key, "/token")).status == .ok)
    }
  }

  @Test("the proof of a pending poll cannot be reused, and the proof of a poll that comes too soon is not stored")
  func polls() async throws {
    try await self.withDevices { site in
      let key = try self.key()
      let authorization = try await site.post(
        "/device_authorization", [("client_id", "loopback")], proof: try site.proof(key, "/device_authorization"))
      let poll: [(name: String, value: String)] = [
        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("client_id", "loopback"),
        ("device_code", try #require(authorization.json["device_code"])),
      ]
      let usedProof = try site.proof(key, "/token")
      expectTokenError(try await site.post("/token", poll, proof: usedProof), "authorization_pending")
      try await site.expectingSameRowCounts {
        expectTokenError(try await site.post("/token", poll, proof: try site.proof(key, "/token")), "slow_down")
      }
      // After `slow_down`, the polling interval is ten seconds.
      site.fixture.clock.advance(by: .seconds(11))
      expectTokenError(try await site.post("/token", poll, proof: usedProof), "invalid_dpop_proof")
      expectTokenError(try await site.post("/token", poll, proof: try site.proof(key, "/token")), "authorization_pending")
    }
  }

  @Test("a poll with a wrong key or resource stores no proof, and the polling interval applies to the next poll")
  func failingPolls() async throws {
    try await self.withDevices { site in
      let (key, other) = (try self.key(), try self.key())
      for (proofKey, resource) in [(other, nil), (key, "https://nope.example")] as [(any DPoPKey, String?)] {
        let authorization = try await site.post(
          "/device_authorization", [("client_id", "loopback")], proof: try site.proof(key, "/device_authorization"))
        var poll: [(name: String, value: String)] = [
          ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("client_id", "loopback"),
          ("device_code", try #require(authorization.json["device_code"])),
        ]
        if let resource { poll.append(("resource", resource)) }
        try await site.expectingSameRowCounts {
          let rejected = try await site.post("/token", poll, proof: try site.proof(proofKey, "/token"))
          #expect(rejected.status == .badRequest && rejected.json["error"] != "slow_down")
          expectTokenError(try await site.post("/token", poll, proof: try site.proof(proofKey, "/token")), "slow_down")
        }
      }
    }
  }

  @Test(
    "the endpoints for pushed requests and for device authorization accept a proof only once",
    arguments: ["/par", "/device_authorization"])
  func beginnings(path: String) async throws {
    try await self.withDevices { site in
      let (key, form) = (try self.key(), path == "/par" ? AuthorizeParameters().list : [("client_id", "loopback")])
      let proof = try site.proof(key, path)
      #expect(try await site.post(path, form, proof: proof).status.kind == .successful)
      expectTokenError(try await site.post(path, form, proof: proof), "invalid_dpop_proof")
    }
  }
}
