import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Pushed authorization requests, RFC 9126, and request objects, RFC 9101")
struct PushedRequestTests {
  static let key = TestSigningKey.es256(id: "1")

  private func push(_ site: Site, _ request: AuthorizeParameters = AuthorizeParameters()) async throws -> String {
    let reply = try await site.post("/par", request.list)
    #expect(reply.status == .created)
    return try #require(reply.json["request_uri"])
  }

  /// Returns the URL of an authorization request with this request URI.
  private func authorization(_ uri: String, client: String = "loopback") -> String {
    "/authorize?" + FormParameters.encode([("client_id", client), ("request_uri", uri)])
  }

  @Test("a request URI needs only client_id beside it, leads to one response, and is valid for ten minutes, for its client only")
  func wholeWay() async throws {
    try await withSite { site in
      let uri = try await self.push(site)
      #expect(uri.hasPrefix("urn:ietf:params:oauth:request_uri:"))
      expectErrorPage(try await TestBrowser(site).open(self.authorization(uri, client: "claimed")))
      let browser = TestBrowser(site)
      // Parameters in addition to client_id and request_uri are ignored.
      let page = try await browser.open(self.authorization(uri) + "&state=other&scope=admin&redirect_uri=https://evil.example")
      let response = try await browser.decide(try await browser.signIn(page), "allow")
      #expect(response.parameters["state"] == "af0ifjsldkj")
      #expect(try await site.redeem(try #require(response.parameters["code"])).status == .ok)
      expectErrorPage(try await TestBrowser(site).open(self.authorization(uri)))
      let expiring = try await self.push(site)
      site.fixture.clock.advance(by: .seconds(600))
      expectErrorPage(try await TestBrowser(site).open(self.authorization(expiring)))
      expectErrorPage(try await TestBrowser(site).open(self.authorization("urn:ietf:params:oauth:request_uri:x")))
    }
  }

  @Test(
    """
    RFC 9126 §2.3, RFC 6749 §4.1.2.1: a request that is too large for the URLs of the sign-in pages is an error, and the \
    largest accepted one leads through all pages
    """,
    arguments: ["state", "login_hint"])
  func tooLarge(_ name: String) async throws {
    try await withSite { site in
      func request(_ size: Int) -> AuthorizeParameters {
        AuthorizeParameters().with(name, String(repeating: "x", count: size))
      }
      // Finds the largest size that the server accepts.
      var (accepted, rejected) = (10_000, 40_000)
      while rejected - accepted > 1 {
        let size = (accepted + rejected) / 2
        let reply = try await site.post("/par", request(size).list)
        if reply.status == .created { accepted = size } else { rejected = size }
      }
      #expect((20_000..<22_000).contains(accepted))
      let pushed = try await site.post("/par", request(rejected).list)
      #expect(pushed.status == .badRequest && pushed.json["error"] == "invalid_request")
      let large = request(rejected + 100)
      let get = try await TestBrowser(site).authorize(large)
      expectErrorRedirect(get, "invalid_request", large)
      #expect(get.parameters["error_description"] == "The parameters of the request are too long.")
      expectErrorRedirect(try await TestBrowser(site).post("/authorize", large.list), "invalid_request", large)
      // The sealed interaction grows with the user's choices.
      let browser = TestBrowser(site)
      let first = try await browser.open(self.authorization(try await self.push(site, request(accepted - 200))))
      let consent = try await browser.signIn(first)
      #expect(consent.isConsentPage)
      let switched = try await browser.open("/interaction/switch-account?i=\(try #require(consent.sealedInteraction))")
      let last = try await browser.signIn(switched, as: "bob")
      for page in [first, consent, switched, last] { #expect(try #require(page.formAction).utf8.count < 31_000) }
      let response = try await browser.decide(last, "allow")
      #expect(response.parameters["code"] != nil)
    }
  }

  @Test(
    "a request URI that is opened again, even in another browser, continues the same request, and only the first decision counts")
  func openedAgain() async throws {
    try await withSite { site in
      let address = self.authorization(try await self.push(site))
      #expect(try await site.send(.head, address).status == .seeOther)
      let (one, other) = (TestBrowser(site), TestBrowser(site))
      _ = try await one.open(address)
      let first = try await one.signIn(try await one.open(address))
      site.fixture.clock.advance(by: .seconds(599))
      let second = try await other.signIn(try await other.open(address))
      site.fixture.clock.advance(by: .seconds(1))
      #expect(try await one.decide(first, "allow").parameters["code"] != nil)
      for decision in ["allow", "deny"] { expectErrorPage(try await other.decide(second, decision)) }
      // The server remembers that a request was used for as long as one of its pages can be open.
      for _ in 0..<3 {
        site.fixture.clock.advance(by: .seconds(590))
        _ = try await site.fixture.store.removeExpired(before: site.fixture.clock.source(), limit: 100)
        let response = try await other.decide(second, "allow")
        #expect(response.parameters["code"] == nil)
      }
    }
  }

  @Test("a request that the user denied cannot be used again")
  func denied() async throws {
    try await withSite { site in
      let (address, browser) = (self.authorization(try await self.push(site)), TestBrowser(site))
      let response = try await browser.decide(try await browser.signIn(try await browser.open(address)), "deny")
      #expect(response.parameters["error"] == "access_denied")
      expectErrorPage(try await browser.open(address))
    }
  }

  @Test("an invalid request is rejected when it is pushed, with a JSON error")
  func rejections() async throws {
    try await withSite { site in
      let wrong: [(AuthorizeParameters, String)] = [
        (AuthorizeParameters().with("code_challenge", nil), "invalid_request"),
        (AuthorizeParameters().with("response_type", "token"), "unsupported_response_type"),
        (AuthorizeParameters().with("scope", "admin"), "invalid_scope"),
        (AuthorizeParameters().with("redirect_uri", "https://evil.example"), "invalid_request"),
        (AuthorizeParameters().with("redirect_uri", nil), "invalid_request"),
        (AuthorizeParameters().with("request_uri", "urn:x"), "invalid_request"),
        (AuthorizeParameters().with("resource", "no"), "invalid_target"),
        (AuthorizeParameters().with("request", "x"), "request_not_supported"),
        (AuthorizeParameters(.dynamic).with("scope", "admin"), "invalid_scope"),
      ]
      for (request, code) in wrong { expectTokenError(try await site.post("/par", request.list), code) }
      expectTokenError(
        try await site.post("/par", AuthorizeParameters(.web).list), "invalid_client", status: .unauthorized)
    }
  }

  @Test("RFC 9126 §6: a client that must push its requests cannot send them directly")
  func required() async throws {
    try await withSite { site in
      var client = try TestClient.loopback.record
      client.details.requiresPushedRequests = true
      try await site.add(client)
      let plain = AuthorizeParameters()
      expectErrorRedirect(try await TestBrowser(site).authorize(plain), "invalid_request", plain)
      #expect(try await TestBrowser(site).open(self.authorization(try await self.push(site))).isSignInPage)
    }
  }

  @Test("RFC 9449 §10.1: a code is bound to the key of the pushed request's proof")
  func boundPush() async throws {
    try await withSite { site in
      let key = try SoftwareDPoPKeys().makeKey()
      let reply = try await site.post("/par", AuthorizeParameters().list, proof: try site.proof(key, "/par"))
      let browser = TestBrowser(site)
      let page = try await browser.open(self.authorization(try #require(reply.json["request_uri"])))
      let code = try #require(try await browser.decide(try await browser.signIn(page), "allow").parameters["code"])
      expectTokenError(try await site.post("/token", site.redemption(code)), "invalid_dpop_proof")
      #expect(try await site.post("/token", site.redemption(code), proof: try site.proof(key, "/token")).status == .ok)
      // A PKCE challenge has the form of a key thumbprint. This one stands for the thumbprint of another key.
      let other = AuthorizeParameters().with("dpop_jkt", AuthorizeParameters.challenge)
      expectTokenError(
        try await site.post("/par", other.list, proof: try site.proof(key, "/par")), "invalid_dpop_proof")
    }
  }

  @Test("unauthenticated pushed requests get half of the quota")
  func quota() async throws {
    try await withSite(configure: { $0.requestsPerMinute = 4 }) { site in
      for _ in 0..<2 { _ = try await self.push(site) }
      expectTokenError(
        try await site.post("/par", AuthorizeParameters().list), "temporarily_unavailable", status: .tooManyRequests)
    }
  }

  // MARK: Request objects

  /// The claims of a valid request object. The test clock starts at 1,800,000,000 seconds.
  private func claims(_ request: AuthorizeParameters) -> [String: JSONValue] {
    var claims: [String: JSONValue] = [
      "iss": "keyed", "aud": "https://id.example", "exp": .integer(1_800_000_060), "max_age": 3_600,
    ]
    for (name, value) in request.list { claims[name] = .string(value) }
    claims["client_id"] = "keyed"
    return claims
  }

  /// Returns a request with this request object. The `state` outside the object is different.
  private func request(_ object: String) -> AuthorizeParameters {
    AuthorizeParameters(.web).with("client_id", "keyed").with("state", "outside").with("request", object)
  }

  @Test("a request object that its client signed replaces the parameters beside it")
  func object() async throws {
    try await withSite { site in
      _ = try await site.addKeyClient(Self.key)
      let signed = AuthorizeParameters(.web).with("scope", "openid")
      let request = self.request(try jwt(Self.key, self.claims(signed)))
      let response = try await TestBrowser(site).complete(request)
      #expect(response.parameters["state"] == "af0ifjsldkj" && response.parameters["code"] != nil)
      let query = FormParameters.encode([("client_id", "keyed"), ("request", request["request"] ?? "")])
      #expect(try await TestBrowser(site).open("/authorize?\(query)").isSignInPage)
    }
  }

  @Test(
    "OpenID Connect Core §6.1: iss, aud, and client_id may be missing; FAPI 2.0 Message Signing §5.3.1 requires them",
    arguments: ["iss", "aud", "client_id"], [false, true])
  func missingClaim(_ name: String, isStrict: Bool) async throws {
    try await withSite { site in
      _ = try await site.addKeyClient(Self.key) { $0.details.requiresSignedRequest = isStrict }
      var claims = self.claims(AuthorizeParameters(.web))
      // If the client must sign its requests, the server also requires `nbf`.
      claims["nbf"] = .integer(site.now)
      let complete = try await TestBrowser(site).authorize(self.request(try jwt(Self.key, claims)))
      #expect(complete.isSignInPage)
      claims[name] = nil
      let request = self.request(try jwt(Self.key, claims))
      let reply = try await TestBrowser(site).authorize(request)
      if isStrict { expectErrorRedirect(reply, "invalid_request_object", request) } else { #expect(reply.isSignInPage) }
    }
  }

  @Test("FAPI 2.0 §5.4.1: a FAPI client cannot sign its requests with RS256")
  func profileAlgorithm() async throws {
    try await withSite { site in
      let key = try TestSigningKey.rsa(id: "1")
      // A client with a key and both of these requirements is a FAPI client.
      _ = try await site.addKeyClient(key) {
        $0.details.requiresPushedRequests = true
        $0.details.requiresDPoP = true
      }
      let request = self.request(try jwt(key, self.claims(AuthorizeParameters(.web))))
      let reply = try await TestBrowser(site).authorize(request)
      expectErrorRedirect(reply, "invalid_request_object", request)
    }
  }

  /// Changes to the header or the claims of a valid request object. Each change makes the object invalid.
  static let hostileObjects: [(String, [String: JSONValue], [String: JSONValue])] = [
    ("none", ["alg": "none"], [:]), ("HMAC", ["alg": "HS256"], [:]), ("unknown key", ["kid": "2"], [:]),
    ("critical", ["crit": .array(["x"])], [:]), ("another token's type", ["typ": "at+jwt"], [:]),
    ("other issuer", [:], ["iss": "web"]), ("null as issuer", [:], ["iss": .null]), ("other client", [:], ["client_id": "web"]),
    ("other audience", [:], ["aud": "https://other.example"]), ("no audience", [:], ["aud": .array([])]),
    ("expired", [:], ["exp": .integer(1_799_999_970)]), ("not yet", [:], ["nbf": .integer(1_800_000_060)]),
    ("expiry as text", [:], ["exp": "tomorrow"]), ("nested", [:], ["request": "x"]),
    ("nested by URL", [:], ["request_uri": "urn:x"]), ("a client assertion", [:], ["sub": "keyed"]),
  ]

  @Test("an invalid request object is rejected, and the parameters beside it are not used instead", arguments: hostileObjects)
  func refusesHostile(_ name: String, _ header: [String: JSONValue], _ claims: [String: JSONValue]) async throws {
    try await withSite { site in
      _ = try await site.addKeyClient(Self.key)
      let all = self.claims(AuthorizeParameters(.web)).merging(claims) { $1 }
      let request = self.request(try jwt(Self.key, header: header, all))
      expectErrorRedirect(try await TestBrowser(site).authorize(request), "invalid_request_object", request)
      // Without a redirect URI beside the object, there is only an error page.
      let query = FormParameters.encode([("client_id", "keyed"), ("request", request["request"] ?? "")])
      expectErrorPage(try await TestBrowser(site).open("/authorize?\(query)"))
    }
  }

  @Test("a request object that is signed with another key, or is sent by a client without keys, is rejected")
  func otherKeys() async throws {
    try await withSite { site in
      _ = try await site.addKeyClient(Self.key)
      let forged = self.request(try jwt(.es256(id: "1"), self.claims(AuthorizeParameters(.web))))
      expectErrorRedirect(try await TestBrowser(site).authorize(forged), "invalid_request_object", forged)
      let keyless = AuthorizeParameters().with("request", try jwt(Self.key, self.claims(AuthorizeParameters())))
      expectErrorRedirect(try await TestBrowser(site).authorize(keyless), "request_not_supported", keyless)
    }
  }
}
