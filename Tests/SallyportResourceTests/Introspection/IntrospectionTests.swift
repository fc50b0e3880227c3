import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportResource
import TestSupport
import Testing

struct IntrospectionTests {
  private let fixture: ResourceFixture

  init() throws {
    self.fixture = try ResourceFixture()
  }

  private func api(
    _ checkedTokens: IntrospectionPolicy.CheckedTokens = .opaqueTokens, cacheLifetime: Duration = .seconds(10),
    limits: ResourceLimits = .init()
  ) throws -> ResourceServer {
    let policy = IntrospectionPolicy(
      clientID: "the api", clientSecret: Secret("p:ss"), for: checkedTokens, cacheLifetime: cacheLifetime)
    return try self.fixture.api([TrustedIssuer(self.fixture.issuer.issuer, introspection: policy)], limits: limits)
  }

  /// Makes the introspection endpoint return this response.
  private func respond(_ response: JSONValue, status: HTTPResponse.Status = .ok) {
    self.fixture.transport.on(self.fixture.introspectionURL, respond: .json(encoding: response, status: status))
  }

  private var requests: [FakeTransport.RecordedRequest] {
    self.fixture.transport.requests(to: self.fixture.introspectionURL)
  }

  /// Returns the response for an active token with some changes. `nil` removes a member.
  private func active(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
    var response: JSONValue = [
      "active": true, "sub": "ada", "client_id": "app", "scope": "notes:read", "aud": .string(self.fixture.resource),
    ]
    for (name, value) in changes { response[name] = value }
    return response
  }

  private static var malformedResponse: AccessTokenError? {
    (try? Issuer("https://id.example")).map { .issuerUnreachable($0, .introspection(.malformed)) }
  }

  @Test("the claims of an opaque token come from its issuer")
  func opaque() async throws {
    self.respond(self.active(["acr": "mfa", "auth_time": 1_799_999_000, "team": "red"]))
    let token = try await self.api().authorize(self.fixture.bearer("opaque-1"))
    #expect(token.subject == "ada" && token.clientID == "app" && token.scope == "notes:read" && token.expiration == nil)
    #expect(token.authenticationContext == "mfa" && token.authenticationTime == Timestamp(seconds: 1_799_999_000))
    struct CustomClaims: Decodable { let team: String }
    #expect(try token.claims(as: CustomClaims.self).team == "red")
    let request = try #require(self.requests.first)
    #expect(request.form?["token"] == "opaque-1" && request.form?["token_type_hint"] == "access_token")
    // This is "the%20api:p%3Ass" in base64: both parts are percent-encoded first (RFC 6749 §2.3.1).
    #expect(request.head.headerFields[.authorization] == "Basic dGhlJTIwYXBpOnAlM0Fzcw==")
    #expect(request.head.method == .post && !request.url.contains("opaque"))
  }

  @Test(
    // Changes to a valid response, and the error that they cause, or `nil` if the response is still accepted. The clock
    // shows 1,800,000,000 seconds since 1970.
    "R-01: an introspection response is checked like a token",
    arguments: [
      (["active": false], .inactive), (["aud": "https://other.example/"], .audienceMismatch), (["aud": nil], .audienceMismatch),
      (["iss": "https://evil.example"], .issuerNotTrusted), (["iss": "https://id.example"], nil),
      (["exp": 1_799_999_000], .expired), (["exp": 1_800_000_100], nil), (["nbf": 1_800_000_100], .notYetValid),
      (["iat": 1_800_000_100], .issuedInFuture), (["sub": nil], nil), (["client_id": nil], nil),
      (["sub": ""], .identifierInvalid),
      (["sub": nil, "client_id": nil], .claimsMalformed), (["active": "true"], Self.malformedResponse),
      (["active": nil], Self.malformedResponse),
      (["token_use": "refresh_token"], .typeMismatch), (["token_use": "access_token"], nil),
      (["token_type": "N_A"], .typeMismatch), (["token_type": "bearer"], nil),
      (["cnf": ["x5t#S256": "a"]], Self.malformedResponse),
    ] as [([String: JSONValue?], AccessTokenError?)])
  func responses(changes: [String: JSONValue?], error: AccessTokenError?) async throws {
    self.respond(self.active(changes))
    let rejection = try await self.api().error(of: self.fixture.bearer("opaque-1"))
    #expect(rejection?.reason == error.map { .token($0) })
  }

  @Test("if the introspection fails, the request is rejected with status 503", arguments: [401, 302, 500])
  func failedIntrospection(status: Int) async throws {
    self.respond(self.active(), status: HTTPResponse.Status(code: status))
    let rejection = try await self.api().error(of: self.fixture.bearer("opaque-1"))
    #expect(rejection?.status == .serviceUnavailable)
    self.fixture.transport.on(self.fixture.introspectionURL, fail: .timedOut)
    #expect(try await self.api().error(of: self.fixture.bearer("opaque-1"))?.status == .serviceUnavailable)
  }

  @Test("R-01: with the policy opaqueTokens, a JWT is not introspected, whether it is valid or not")
  func signaturesAreEnough() async throws {
    self.respond(self.active())
    let api = try self.api()
    #expect(try await api.error(of: self.fixture.bearer(self.fixture.token())) == nil)
    let idToken = try self.fixture.token(header: ["typ": "JWT"])
    #expect(await api.error(of: self.fixture.bearer(idToken))?.reason == .token(.typeMismatch))
    #expect(self.requests.isEmpty)
  }

  @Test("R-01: with the policy everyToken, each token is introspected after its signature has been verified")
  func revocation() async throws {
    self.respond(["active": true])
    let api = try self.api(.everyToken)
    let token = try self.fixture.token()
    #expect(await api.error(of: self.fixture.bearer(token)) == nil)
    self.respond(["active": false])
    #expect(await api.error(of: self.fixture.bearer(token)) == nil)
    #expect(self.requests.count == 1)
    // The first response was cached for 10 seconds.
    self.fixture.clock.advance(by: .seconds(10))
    #expect(await api.error(of: self.fixture.bearer(token))?.reason == .token(.inactive))
    let withForeignKey = try self.fixture.token(key: .es256(id: "es-1"))
    #expect(await api.error(of: self.fixture.bearer(withForeignKey))?.reason == .token(.signatureInvalid))
    #expect(self.requests.count == 2)
  }

  @Test("with the policy everyTokenOfAnyType, only the introspection response decides, and only about the issuer's JWTs")
  func anyType() async throws {
    self.respond(self.active(["token_type": "Bearer"]))
    let api = try self.api(.everyTokenOfAnyType, cacheLifetime: .zero)
    let token = try self.fixture.token(["sub": "claimed", "client_id": nil], key: .es256(id: "x"), header: ["typ": "JWT"])
    #expect(try await api.authorize(self.fixture.bearer(token)).subject == "ada")
    #expect(self.requests.count == 1 && self.requests.first?.form?["token"] == token)
    // An ID token or a refresh token that the issuer reports as active.
    self.respond(self.active(["aud": "app"]))
    #expect(await api.error(of: self.fixture.bearer(token))?.reason == .token(.audienceMismatch))
    self.respond(self.active(["token_use": "refresh_token"]))
    #expect(await api.error(of: self.fixture.bearer(token))?.reason == .token(.typeMismatch))
    self.respond(["active": false])
    #expect(await api.error(of: self.fixture.bearer(token))?.reason == .token(.inactive))
    // A token of the right type is not accepted for its signature either.
    #expect(try await api.error(of: self.fixture.bearer(self.fixture.token()))?.reason == .token(.inactive))
    // Other tokens are not sent to the issuer.
    #expect(self.requests.count == 5)
    for other in try [
      self.fixture.token(["iss": "https://other.example"]), self.fixture.token(["iss": nil]),
      self.fixture.token(["iss": "https://other.example"], header: ["typ": "JWT"]), "opaque-1",
    ] {
      #expect(await api.error(of: self.fixture.bearer(other))?.status == .unauthorized)
    }
    #expect(self.requests.count == 5)
    #expect(self.fixture.transport.requests(to: self.fixture.issuer.jwksURL).isEmpty)
  }

  @Test(
    "with the policy everyToken, a token that is not a JWT is introspected only if opaque tokens are included",
    arguments: [false, true])
  func includedOpaqueTokens(includesOpaqueTokens: Bool) async throws {
    self.respond(self.active())
    let policy = IntrospectionPolicy(
      clientID: "api", clientSecret: Secret("secret"), for: .everyToken, includesOpaqueTokens: includesOpaqueTokens)
    let api = try self.fixture.api([TrustedIssuer(self.fixture.issuer.issuer, introspection: policy)])
    let error = await api.error(of: self.fixture.bearer("opaque-1"))
    #expect((error == nil) == includesOpaqueTokens)
    #expect(self.requests.count == (includesOpaqueTokens ? 1 : 0))
  }

  @Test("concurrent requests with one token cause one introspection request")
  func oneRequest() async throws {
    let (gate, response) = (Gate(), self.active())
    self.fixture.transport.on(self.fixture.introspectionURL) { _ in
      await gate.wait()
      return .success(.json(encoding: response))
    }
    var limits = ResourceLimits()
    // A second introspection request at the same time would be rejected.
    limits.pendingIntrospections = 1
    let (api, fixture) = (try self.api(limits: limits), self.fixture)
    await withTaskGroup(of: AccessError?.self) { group in
      for _ in 0..<8 { group.addTask { await api.error(of: fixture.bearer("opaque-1")) } }
      await fixture.transport.waitForRequests(1, to: fixture.introspectionURL)
      gate.open()
      for await error in group { #expect(error == nil) }
    }
    #expect(self.requests.count == 1)
  }

  @Test("with a cache lifetime of zero, no response is used twice")
  func uncached() async throws {
    self.respond(self.active())
    let api = try self.api(cacheLifetime: .zero)
    for count in 1...3 {
      #expect(await api.error(of: self.fixture.bearer("opaque-1")) == nil)
      #expect(self.requests.count == count)
    }
  }

  @Test("R-02: an opaque token that is bound to a key requires a proof too")
  func bound() async throws {
    let key = try SoftwareDPoPKeys().makeKey()
    self.respond(self.active(["cnf": ["jkt": .string(key.publicKey.thumbprint)]]))
    let api = try self.api()
    #expect(await api.error(of: self.fixture.bearer("opaque-1"))?.reason == .boundTokenAsBearer)
    let proof = try self.fixture.proof(by: key, of: "opaque-1")
    #expect(await api.error(of: self.fixture.bound("opaque-1", proof)) == nil)
  }

  @Test("the number of concurrent introspection requests is limited, regardless of the number of tokens")
  func bounded() async throws {
    let (gate, response) = (Gate(), self.active())
    self.fixture.transport.on(self.fixture.introspectionURL) { _ in
      await gate.wait()
      return .success(.json(encoding: response))
    }
    var limits = ResourceLimits()
    limits.pendingIntrospections = 2
    let (api, fixture) = (try self.api(limits: limits), self.fixture)
    await withTaskGroup(of: AccessError?.self) { group in
      for number in 0..<2 { group.addTask { await api.error(of: fixture.bearer("opaque-\(number)")) } }
      await fixture.transport.waitForRequests(2, to: fixture.introspectionURL)
      let beyond = await api.error(of: fixture.bearer("opaque-2"))
      #expect(beyond?.reason == .token(.issuerUnreachable(fixture.issuer.issuer, .busy)) && beyond?.status == .serviceUnavailable)
      gate.open()
      for await error in group { #expect(error == nil) }
    }
    #expect(await api.error(of: fixture.bearer("opaque-2")) == nil)
  }
}
