import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("private_key_jwt, RFC 7523")
struct ClientAssertionTests {
  static let key = TestSigningKey.es256(id: "1")

  /// Requests a token with this client assertion and additional parameters.
  private func authenticate(_ site: Site, _ assertion: String, _ more: [(name: String, value: String)] = []) async throws -> Reply
  {
    try await site.post(
      "/token",
      [
        ("grant_type", "client_credentials"), ("client_assertion_type", Site.assertionType), ("client_assertion", assertion),
      ] + more)
  }

  @Test("a client authenticates with the issuer or the endpoint as the audience, alone or in a list")
  func validAudiences() async throws {
    try await withSite { site in
      _ = try await site.addKeyClient(Self.key)
      let audiences: [JSONValue] = [
        "https://id.example", "https://id.example/token", .array(["https://other.example", "https://id.example"]),
      ]
      for audience in audiences {
        var claims = site.assertionClaims()
        claims["aud"] = audience
        let reply = try await self.authenticate(site, try jwt(Self.key, claims), [("client_id", "keyed")])
        #expect(reply.status == .ok && reply.json["token_type"] == "Bearer")
      }
    }
  }

  struct InvalidAssertion: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var header: [String: JSONValue] = [:]
    var claims: [String: JSONValue] = [:]
  }

  /// The test clock starts at 1,800,000,000 seconds, and the clock tolerance is 30 seconds.
  static let invalidAssertions: [InvalidAssertion] = [
    InvalidAssertion(testDescription: "other issuer", claims: ["iss": "web"]),
    InvalidAssertion(testDescription: "no issuer", claims: ["iss": .null]),
    InvalidAssertion(testDescription: "other subject", claims: ["sub": "web"]),
    InvalidAssertion(testDescription: "subject of no client", claims: ["sub": "nobody", "iss": "nobody"]),
    InvalidAssertion(testDescription: "other audience", claims: ["aud": "https://other.example"]),
    InvalidAssertion(testDescription: "similar audience", claims: ["aud": "https://id.example/"]),
    InvalidAssertion(testDescription: "another endpoint", claims: ["aud": "https://id.example/introspect"]),
    InvalidAssertion(testDescription: "no audience", claims: ["aud": .array([])]),
    InvalidAssertion(testDescription: "expired", claims: ["exp": .integer(1_799_999_969)]),
    InvalidAssertion(testDescription: "no expiry", claims: ["exp": .null]),
    InvalidAssertion(testDescription: "valid for too long", claims: ["exp": .integer(1_800_003_631)]),
    InvalidAssertion(testDescription: "valid for a year", claims: ["exp": .integer(1_831_536_000)]),
    InvalidAssertion(testDescription: "from the future", claims: ["iat": .integer(1_800_000_120)]),
    InvalidAssertion(testDescription: "not yet valid", claims: ["nbf": .integer(1_800_000_120)]),
    InvalidAssertion(testDescription: "no identifier", claims: ["jti": .null]),
    InvalidAssertion(testDescription: "empty identifier", claims: ["jti": ""]),
    InvalidAssertion(testDescription: "alg none", header: ["alg": "none"]),
    InvalidAssertion(testDescription: "alg HS256", header: ["alg": "HS256"]),
    InvalidAssertion(testDescription: "alg of another key", header: ["alg": "ES384"]),
    InvalidAssertion(testDescription: "unknown key", header: ["kid": "2"]),
    InvalidAssertion(testDescription: "critical extension", header: ["crit": .array(["exp"])]),
    InvalidAssertion(testDescription: "an access token's type", header: ["typ": "at+jwt"]),
    InvalidAssertion(testDescription: "a DPoP proof's type", header: ["typ": "dpop+jwt"]),
  ]

  @Test("an assertion that is valid for an hour is accepted even if the client's clock is ahead by the tolerance")
  func clockAhead() async throws {
    try await withSite { site in
      _ = try await site.addKeyClient(Self.key)
      let claims = site.assertionClaims().merging(["iat": .integer(site.now + 30), "exp": .integer(site.now + 3630)]) { $1 }
      #expect(try await self.authenticate(site, try jwt(Self.key, claims)).status == .ok)
    }
  }

  @Test("an invalid assertion authenticates no client", arguments: invalidAssertions)
  func rejectsInvalid(_ wrong: InvalidAssertion) async throws {
    try await withSite { site in
      _ = try await site.addKeyClient(Self.key)
      let claims = site.assertionClaims().merging(wrong.claims) { $1 }
      let reply = try await self.authenticate(site, try jwt(Self.key, header: wrong.header, claims))
      expectTokenError(reply, "invalid_client", status: .unauthorized)
    }
  }

  @Test("an assertion that was signed with another key, or used twice, is rejected")
  func otherKeyAndReplay() async throws {
    try await withSite { site in
      _ = try await site.addKeyClient(Self.key)
      // A new key with the `kid` of the registered key.
      let forged = try jwt(.es256(id: "1"), site.assertionClaims())
      expectTokenError(try await self.authenticate(site, forged), "invalid_client", status: .unauthorized)
      let assertion = try jwt(Self.key, site.assertionClaims("one"))
      #expect(try await self.authenticate(site, assertion).status == .ok)
      expectTokenError(try await self.authenticate(site, assertion), "invalid_client", status: .unauthorized)
      let sameIdentifier = try jwt(Self.key, site.assertionClaims("one").merging(["exp": .integer(site.now + 90)]) { $1 })
      expectTokenError(try await self.authenticate(site, sameIdentifier), "invalid_client", status: .unauthorized)
    }
  }

  @Test("a client must authenticate with its registered method, algorithm, and client ID, and with only one method at a time")
  func methods() async throws {
    try await withSite { site in
      let secret = Secret(TestClient.secret)
      _ = try await site.addKeyClient(Self.key) { $0.secretFingerprint = Fingerprint(of: secret) }
      let withSecret: [(name: String, value: String)] = [
        ("grant_type", "client_credentials"), ("client_id", "keyed"), ("client_secret", TestClient.secret),
      ]
      expectTokenError(try await site.post("/token", withSecret), "invalid_client", status: .unauthorized)
      expectTokenError(
        try await site.post("/token", [("grant_type", "client_credentials"), ("client_id", "keyed")]), "invalid_client",
        status: .unauthorized)
      let assertion = try jwt(Self.key, site.assertionClaims())
      expectTokenError(
        try await self.authenticate(site, assertion, [("client_id", "keyed"), ("client_secret", TestClient.secret)]),
        "invalid_request")
      expectTokenError(
        try await self.authenticate(site, assertion, [("client_id", "web")]), "invalid_client", status: .unauthorized)
      // From here on, the client is registered for RS256 only.
      _ = try await site.addKeyClient(Self.key) { $0.details.assertionAlgorithm = "RS256" }
      expectTokenError(
        try await self.authenticate(site, try jwt(Self.key, site.assertionClaims())), "invalid_client", status: .unauthorized)
    }
  }

  @Test("a failed authentication does not consume the code")
  func codeSurvives() async throws {
    try await withSite { site in
      _ = try await site.addKeyClient(Self.key)
      let request = AuthorizeParameters(.web).with("client_id", "keyed")
      let code = try #require(try await TestBrowser(site).complete(request).parameters["code"])
      func redeem(_ assertion: String) async throws -> Reply {
        try await site.post(
          "/token",
          [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", TestClient.web.requestedURI),
            ("code_verifier", AuthorizeParameters.verifier), ("client_assertion_type", Site.assertionType),
            ("client_assertion", assertion),
          ])
      }
      for _ in 0..<8 {
        let forged = try jwt(.es256(id: "1"), site.assertionClaims())
        expectTokenError(try await redeem(forged), "invalid_client", status: .unauthorized)
      }
      #expect(try await redeem(try jwt(Self.key, site.assertionClaims())).status == .ok)
    }
  }
}
