import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import SallyportHummingbird
import SallyportProtocol
import SallyportResource
import TestSupport
import Testing

struct ResourceRoutesTests {
  private let issuer: TestIssuer
  private let transport = FakeTransport()
  private let clock = TestClock()
  private let resource = "https://api.example/notes"

  init() throws {
    self.issuer = try TestIssuer()
    self.issuer.publish(on: self.transport)
  }

  private func token(_ scope: String, boundTo key: (any DPoPKey)? = nil) throws -> String {
    let now = self.clock.now.seconds
    var claims: JSONValue = [
      "iss": "https://id.example", "sub": "ada", "aud": .string(self.resource), "exp": .integer(now + 300), "iat": .integer(now),
      "jti": "t-1", "client_id": "app", "scope": .string(scope),
    ]
    if let key { claims["cnf"] = ["jkt": .string(key.publicKey.thumbprint)] }
    return try self.issuer.token(claims, header: ["typ": "at+jwt"]).reveal()
  }

  /// Runs `body` with an API whose routes below `/notes` require an access token with the scope `notes:read`.
  private func withAPI(
    nonces: DPoPNonceSource? = nil, _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
  ) async throws {
    let api = try ResourceServer(
      EndpointURL(self.resource), trusting: [TrustedIssuer(self.issuer.issuer)],
      dpop: DPoPAcceptance(nonces: nonces, replays: MemoryReplayStore(now: self.clock.source)), transport: self.transport,
      now: self.clock.source)
    let router = Router(context: ResourceRequestContext.self)
    router.addMetadata(of: api)
    router.get("open") { _, context in try context.verifiedAccessToken.subject }
    let notes = router.group("notes").add(middleware: RequireAccessToken(api, scope: "notes:read"))
    notes.get { _, context in try context.verifiedAccessToken.subject }
    notes.group("admin").add(middleware: RequireScope(api, "notes:admin")).post { _, _ in "done" }
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    try await Application(router: router, logger: logger).test(.router, body)
  }

  @Test("R-02: a protected route gets the verified token, and requests without a token are rejected")
  func routes() async throws {
    let token = try self.token("notes:read")
    try await self.withAPI { http in
      let response = try await http.execute(uri: "/notes", method: .get, headers: [.authorization: "Bearer \(token)"])
      #expect(response.status == .ok && String(buffer: response.body) == "ada")
      let none = try await http.execute(uri: "/notes", method: .get)
      // There is one challenge for Bearer, and one for DPoP.
      #expect(none.status == .unauthorized && none.headers[values: .wwwAuthenticate].count == 2)
      let query = try await http.execute(uri: "/notes?access_token=\(token)", method: .get)
      #expect(query.status == .badRequest)
      var twice: HTTPFields = [:]
      twice[values: .authorization] = ["Bearer \(token)", "Bearer \(token)"]
      #expect(try await http.execute(uri: "/notes", method: .get, headers: twice).status == .badRequest)
      // A route that reads the verified token without the middleware fails, even if the request has a valid token.
      let open = try await http.execute(uri: "/open", method: .get, headers: [.authorization: "Bearer \(token)"])
      #expect(open.status == .internalServerError)
    }
  }

  @Test("R-02: a route can require more scopes than its group")
  func scopes() async throws {
    let (reader, admin) = (try self.token("notes:read"), try self.token("notes:read notes:admin"))
    let adminOnly = try self.token("notes:admin")
    try await self.withAPI { http in
      for (token, status) in [(reader, HTTPResponse.Status.forbidden), (admin, .ok), (adminOnly, .forbidden)] {
        let reply = try await http.execute(uri: "/notes/admin", method: .post, headers: [.authorization: "Bearer \(token)"])
        #expect(reply.status == status)
      }
      let reply = try await http.execute(uri: "/notes/admin", method: .post, headers: [.authorization: "Bearer \(reader)"])
      let challenge = try #require(AuthenticationChallenge.challenges(of: reply.headers).first)
      #expect(challenge.error == .insufficientScope && challenge.scope == "notes:read notes:admin")
    }
  }

  @Test("R-02: anyone can read the metadata at its well-known path, including scripts of any origin")
  func metadata() async throws {
    try await self.withAPI { http in
      let reply = try await http.execute(uri: "/.well-known/oauth-protected-resource/notes", method: .get)
      #expect(reply.status == .ok && reply.headers[.contentType] == "application/json")
      #expect(reply.headers[.accessControlAllowOrigin] == "*")
      #expect(String(buffer: reply.body).contains(#""resource":"https://api.example/notes""#))
      // A browser sends a preflight request first if the request has custom headers.
      let preflight = try await http.execute(uri: "/.well-known/oauth-protected-resource/notes", method: .options)
      #expect(preflight.status == .noContent && preflight.headers[.accessControlAllowOrigin] == "*")
      #expect(preflight.headers[.accessControlAllowHeaders] == "*" && preflight.headers[.accessControlAllowMethods] == "GET")
    }
  }

  @Test("R-02: a DPoP-bound token requires a proof, and the response contains the next nonce")
  func possession() async throws {
    let key = try SoftwareDPoPKeys().makeKey()
    let (token, nonces) = (try self.token("notes:read", boundTo: key), DPoPNonceSource(now: self.clock.source))
    let (clock, resource) = (self.clock, self.resource)
    try await self.withAPI(nonces: nonces) { http in
      let target = try #require(DPoPTarget(method: "GET", url: resource))
      func reply(_ nonce: String?) async throws -> TestResponse {
        let proof = try DPoPProof.make(for: target, accessToken: Secret(token), nonce: nonce, at: clock.now, by: key)
        return try await http.execute(
          uri: "/notes", method: .get, headers: [.authorization: "DPoP \(token)", .dpop: proof.reveal()])
      }
      let first = try await reply(nil)
      #expect(first.status == .unauthorized && first.headers[.dpopNonce] == nonces.current)
      let second = try await reply(first.headers[.dpopNonce])
      #expect(second.status == .ok && second.headers[.dpopNonce] == nonces.current)
      let bearer = try await http.execute(uri: "/notes", method: .get, headers: [.authorization: "Bearer \(token)"])
      #expect(bearer.status == .unauthorized)
    }
  }
}
