import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Key sets that clients publish", .timeLimit(.minutes(5)))
struct ClientKeySetTests {
  private static let uri = "https://rp.example/jwks"
  private let transport = FakeTransport()
  private let firstKey = TestSigningKey.es256(id: "1")
  private let secondKey = TestSigningKey.es256(id: "2")

  private func publish(_ keys: TestSigningKey..., at uri: String = uri) {
    self.transport.on(uri, respond: .json(encoding: ["keys": keys.map(\.jwk)]))
  }

  private var fetches: Int { self.transport.requests(to: Self.uri).count }

  private func register(_ site: Site, jwksURI: String = uri) async throws -> Reply {
    try await site.register([
      "redirect_uris": ["https://rp.example/cb"], "token_endpoint_auth_method": "private_key_jwt", "jwks_uri": .string(jwksURI),
      "grant_types": ["authorization_code", "refresh_token"],
    ])
  }

  /// Refreshes with a client assertion that is signed with this key.
  ///
  /// Some tests pass an invalid refresh token. The error is then `invalid_client` if the server could not verify the
  /// assertion, and `invalid_grant` if it could.
  private func refresh(_ site: Site, _ id: String, _ token: String, by key: TestSigningKey) async throws -> Reply {
    try await site.post("/token", [("grant_type", "refresh_token"), ("refresh_token", token)] + self.credentials(site, id, key))
  }

  private func credentials(_ site: Site, _ id: String, _ key: TestSigningKey) throws -> [(name: String, value: String)] {
    var claims = site.assertionClaims()
    claims["iss"] = .string(id)
    claims["sub"] = .string(id)
    return [("client_assertion_type", Site.assertionType), ("client_assertion", try jwt(key, claims))]
  }

  // `oidcc-…` is the identifier of a test of the OpenID conformance suite.
  @Test(
    "oidcc-refresh-token-rp-key-rotation: the server fetches a self-registered client's key set once, and for a new key again after a minute"
  )
  func rotation() async throws {
    self.publish(self.firstKey)
    try await withSite(transport: self.transport) { site in
      let id = try await self.register(site).registration.clientID
      let request = AuthorizeParameters(.web, redirectURI: "https://rp.example/cb").with("client_id", id)
      let code = try await site.code(request)
      let redemption = [
        ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "https://rp.example/cb"),
        ("code_verifier", AuthorizeParameters.verifier),
      ]
      var tokens = try Tokens(try await site.post("/token", redemption + self.credentials(site, id, self.firstKey)))
      tokens = try Tokens(try await self.refresh(site, id, tokens.refresh, by: self.firstKey))
      #expect(self.fetches == 1)
      self.publish(self.secondKey)
      expectTokenError(
        try await self.refresh(site, id, tokens.refresh, by: self.secondKey), "invalid_client", status: .unauthorized)
      #expect(self.fetches == 1, "an unknown key must not cause another fetch so soon, because anyone can send unknown keys")
      site.fixture.clock.advance(by: .seconds(60))
      tokens = try Tokens(try await self.refresh(site, id, tokens.refresh, by: self.secondKey))
      #expect(self.fetches == 2)
      expectTokenError(
        try await self.refresh(site, id, tokens.refresh, by: self.firstKey), "invalid_client", status: .unauthorized)
      let limits = try #require(self.transport.requests.first?.limits)
      #expect(limits.maximumBodySize <= 64 << 10 && limits.timeout <= .seconds(5))
    }
  }

  @Test(
    "a self-registered client cannot have a key set on a private network or without TLS",
    arguments: [
      "https://127.0.0.1/jwks", "https://localhost/jwks", "https://10.0.0.1/jwks", "https://169.254.169.254/jwks",
      "https://[::1]/jwks", "http://127.0.0.1/jwks", "http://rp.example/jwks",
    ])
  func ownNetwork(uri: String) async throws {
    try await withSite(transport: self.transport) { site in
      expectRegistrationError(try await self.register(site, jwksURI: uri), "invalid_client_metadata")
      let key = TestSigningKey.es256(id: "1")
      _ = try await site.addKeyClient(key) {
        $0.origin = .dynamic
        $0.keys = .remote(uri)
      }
      let reply = try await site.post("/token", [("grant_type", "refresh_token")] + self.credentials(site, "keyed", key))
      expectTokenError(reply, "invalid_client", status: .unauthorized)
      #expect(self.transport.requests.isEmpty)
    }
  }

  @Test(
    "a key set that is invalid or cannot be fetched is not fetched again immediately",
    arguments: [
      .failure(.timedOut), .failure(.bodyTooLarge), .success(.redirect(to: "https://rp.example/else")), .success(.json("[]")),
      .success(.json("{}", status: .internalServerError)), .success(.text("{}", status: .ok)),
    ] as [FakeTransport.Outcome])
  func noKeySet(outcome: FakeTransport.Outcome) async throws {
    self.transport.on(Self.uri) { _ in outcome }
    try await withSite(transport: self.transport) { site in
      let id = try await self.register(site).registration.clientID
      for _ in 0..<3 {
        expectTokenError(
          try await self.refresh(site, id, "x", by: self.firstKey), "invalid_client", status: .unauthorized)
      }
      #expect(self.transport.requests.count == 1)
      site.fixture.clock.advance(by: .seconds(30))
      self.publish(self.firstKey)
      expectTokenError(try await self.refresh(site, id, "x", by: self.firstKey), "invalid_grant")
    }
  }

  @Test("the server limits how often it fetches key sets of dynamic clients, but not of clients that an operator added")
  func budget() async throws {
    try await withSite(transport: self.transport, configure: { $0.registration.perMinute = 6 }) { site in
      // Dynamic clients that never obtained a grant share half of the six fetches per minute.
      for number in 1...3 {
        let uri = "https://rp.example/\(number)"
        self.publish(self.firstKey, at: uri)
        let id = try await self.register(site, jwksURI: uri).registration.clientID
        // An assertion with an unknown key causes the third fetch. The next assertion is verified with the set that
        // this fetch returned.
        if number == 3 { _ = try await self.refresh(site, id, "x", by: self.secondKey) }
        expectTokenError(try await self.refresh(site, id, "x", by: self.firstKey), "invalid_grant")
      }
      self.publish(self.firstKey)
      let dynamicClient = try await site.addKeyClient(self.firstKey) {
        $0.origin = .dynamic
        $0.keys = .remote(Self.uri)
      }
      expectTokenError(
        try await self.refresh(site, dynamicClient.id.rawValue, "x", by: self.firstKey), "invalid_client", status: .unauthorized)
      #expect(self.fetches == 0)
      let operatorClient = try await site.addKeyClient(self.firstKey) {
        $0.id = ClientID(rawValue: "operator")
        $0.keys = .remote(Self.uri)
      }
      expectTokenError(try await self.refresh(site, operatorClient.id.rawValue, "x", by: self.firstKey), "invalid_grant")
      #expect(self.fetches == 1)
    }
  }

  @Test("unreachable URLs on one host do not use up the fetches for other hosts")
  func deadHost() async throws {
    try await withSite(transport: self.transport, configure: { $0.registration.perMinute = 16 }) { site in
      for number in 1...8 {
        let id = try await self.addDynamicClient(site, "dead\(number)", at: "https://dead.example/\(number)")
        expectTokenError(try await self.refresh(site, id, "x", by: self.firstKey), "invalid_client", status: .unauthorized)
      }
      // For clients without a grant, one host gets a quarter of the 16 fetches per minute.
      #expect(self.transport.requests.count == 4)
      self.publish(self.firstKey)
      let id = try await self.addDynamicClient(site, "honest", at: Self.uri)
      expectTokenError(try await self.refresh(site, id, "x", by: self.firstKey), "invalid_grant")
    }
  }

  @Test("a key set that can no longer be fetched is used for a day after its last successful fetch")
  func oldSet() async throws {
    self.publish(self.firstKey)
    try await withSite(transport: self.transport) { site in
      let id = try await self.addDynamicClient(site, "old", at: Self.uri)
      expectTokenError(try await self.refresh(site, id, "x", by: self.firstKey), "invalid_grant")
      self.transport.on(Self.uri) { _ in .failure(.timedOut) }
      site.fixture.clock.advance(by: .seconds(86_399))
      expectTokenError(try await self.refresh(site, id, "x", by: self.firstKey), "invalid_grant")
      site.fixture.clock.advance(by: .seconds(1))
      for _ in 0..<2 {
        expectTokenError(try await self.refresh(site, id, "x", by: self.firstKey), "invalid_client", status: .unauthorized)
      }
    }
  }

  private func addDynamicClient(_ site: Site, _ id: String, at uri: String) async throws -> String {
    try await site.addKeyClient(self.firstKey) {
      $0.id = ClientID(rawValue: id)
      $0.origin = .dynamic
      $0.keys = .remote(uri)
    }.id.rawValue
  }

  @Test("RFC 9101 §10.5: a client that must sign its requests cannot send unsigned requests", arguments: [false, true])
  func signedRequests(isDynamic: Bool) async throws {
    try await withSite { site in
      let client = try await site.addKeyClient(self.firstKey) {
        $0.details.requiresSignedRequest = true
        $0.origin = isDynamic ? .dynamic : .operator
      }
      let request = AuthorizeParameters(.web).with("client_id", client.id.rawValue)
      let unsigned = try await TestBrowser(site).authorize(request)
      // The server does not redirect to dynamic clients without user interaction (rule S-31).
      if isDynamic { expectErrorPage(unsigned) } else { expectErrorRedirect(unsigned, "invalid_request", request) }
      let pushed = try await site.post("/par", request.list + self.credentials(site, client.id.rawValue, self.firstKey))
      #expect(pushed.json["error"] == "invalid_request")

      var claims: [String: JSONValue] = [:]
      for (name, value) in request.list { claims[name] = .string(value) }
      claims["iss"] = .string(client.id.rawValue)
      claims["aud"] = "https://id.example"
      claims["nbf"] = .integer(site.now)
      claims["exp"] = .integer(site.now + 60)
      let object = try jwt(self.firstKey, claims)
      let signed = AuthorizeParameters(.web).with("client_id", client.id.rawValue).with("request", object)
      #expect(try await TestBrowser(site).authorize(signed).isSignInPage)
      let accepted = try await site.post(
        "/par",
        [("client_id", client.id.rawValue), ("request", object)] + self.credentials(site, client.id.rawValue, self.firstKey))
      let uri = try #require(accepted.json["request_uri"])
      let page = try await TestBrowser(site).open(
        "/authorize?" + FormParameters.encode([("client_id", client.id.rawValue), ("request_uri", uri)]))
      #expect(page.isSignInPage)
    }
  }
}
