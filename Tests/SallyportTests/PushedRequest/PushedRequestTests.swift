import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport
import Testing

@Suite("Pushed authorization requests, RFC 9126", .timeLimit(.minutes(1)))
struct PushedRequestTests {
  private let server: DPoPServer
  private var fixture: SignInFixture { self.server.fixture }
  private static let requestURI = "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c"

  init() throws {
    self.server = try DPoPServer { $0.metadata.pushedAuthorizationRequestEndpoint = DPoPServer.pushURL }
  }

  /// Returns a response with a `request_uri`.
  private static func pushedResponse(_ uri: String = requestURI, status: HTTPResponse.Status = .created) -> TransportResponse {
    .json(encoding: PushedResponseJSON(requestURI: uri, expiresIn: 60), status: status)
  }

  /// The parameters of the last pushed request.
  private var pushedForm: FormParameters? { self.fixture.transport.requests(to: DPoPServer.pushURL).last?.form }

  /// Returns a user who allows the pushed request. The redirect contains the request's state.
  private func browser() throws -> FakeBrowser {
    let transport = self.fixture.transport
    return try FakeBrowser { _ in
      [SignInFixture.response(to: transport.requests(to: DPoPServer.pushURL).last?.form ?? FormParameters())]
    }
  }

  @Test(
    "RFC 9126 §2 and §4: the request is sent to the server directly, and the browser's URL contains only its reference and the client"
  )
  func good() async throws {
    self.fixture.transport.on(DPoPServer.pushURL, respond: Self.pushedResponse())
    let user = try self.browser()
    self.server.grantTokens()
    var options = SignInOptions(scopes: ["notes"], loginHint: "ada@example.com")
    options.resources = [try ResourceIndicator("https://a.example/"), try ResourceIndicator("https://b.example/")]
    _ = try await self.server.client().signIn(options, via: user, receiver: user)
    #expect(Set(user.parameters.names) == ["client_id", "request_uri"])
    #expect(user.parameters["client_id"] == "notes")
    #expect(user.parameters["request_uri"] == Self.requestURI)
    let form = try #require(self.pushedForm)
    #expect(form["client_id"] == "notes")
    #expect(form["response_type"] == "code")
    #expect(form["code_challenge_method"] == "S256")
    #expect(form["redirect_uri"] == SignInFixture.callback)
    #expect(form["login_hint"] == "ada@example.com")
    #expect(form.values(of: "resource") == ["https://a.example/", "https://b.example/"])
    let verifier = try #require(self.fixture.tokenRequests.first?.form?["code_verifier"])
    #expect(try CodeVerifier(verifier).challenge.value == form["code_challenge"])
  }

  @Test(
    "RFC 9126 §2.1: with every client authentication method, the pushed request contains the client identifier exactly once",
    arguments: [
      .none, .secretBasic(Secret("s")), .secretPost(Secret("s")),
      .privateKeyJWT(ClientAssertionKey(), audience: try Issuer(SignInFixture.issuer)),
    ] as [ClientAuthentication])
  func clientIdentifier(authentication: ClientAuthentication) async throws {
    self.fixture.transport.on(DPoPServer.pushURL, respond: Self.pushedResponse())
    let channel = BackChannel(
      clientID: "notes", authentication: { authentication }, transport: self.fixture.transport, now: self.fixture.clock.source)
    let endpoint = PushedRequestEndpoint(url: try EndpointURL(DPoPServer.pushURL), channel: channel)
    let pending = PendingSignIn(
      issuer: self.fixture.server.issuer, clientID: "notes", redirectURI: try RedirectURI(SignInFixture.callback),
      scope: ["notes"])
    _ = try await endpoint.push(pending.authorizationRequest(SignInOptions(scopes: ["notes"])), provenBy: nil)
    // The form cannot be parsed if it contains a parameter twice.
    let form = try #require(self.pushedForm)
    #expect(form["client_id"] == "notes")
  }

  @Test(
    "RFC 9449 §10.1: the pushed request contains the thumbprint of the DPoP key and a proof, with a nonce if the server asks for one"
  )
  func proven() async throws {
    self.fixture.transport.on(DPoPServer.pushURL) { request in
      guard request.index > 0 else {
        var response = SignInFixture.error("use_dpop_nonce")
        response.head.headerFields[.dpopNonce] = "nonce-1"
        return .success(response)
      }
      return .success(Self.pushedResponse())
    }
    let user = try self.browser()
    self.server.state.withLock { $0.nonce = "nonce-1" }
    self.server.grantTokens()
    _ = try await self.server.client().signIn(scopes: ["notes"], via: user, receiver: user)
    #expect(self.pushedForm?["dpop_jkt"] == self.server.proofs.first?.key.thumbprint)
    let request = try #require(self.fixture.transport.requests(to: DPoPServer.pushURL).last)
    let target = try #require(DPoPTarget(method: "POST", url: DPoPServer.pushURL))
    let proof = try ValidatedDPoPProof(
      try #require(request.head.headerFields[.dpop]), expecting: DPoPExpectations(target: target, nonces: ["nonce-1"]),
      at: self.fixture.clock.now)
    #expect(proof.key.thumbprint == self.pushedForm?["dpop_jkt"])
    // The server uses one nonce for both endpoints, so the token request is sent only once.
    #expect(self.server.rejections.isEmpty)
  }

  /// A response to the pushed request, and the error that it causes.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let response: TransportResponse
    let error: SignInError

    init(_ description: String, _ response: TransportResponse, _ error: SignInError) {
      self.testDescription = description
      self.response = response
      self.error = error
    }
  }

  @Test(
    "RFC 9126 §2.2 and §2.3: if the endpoint's response is invalid or an error response, no browser is opened",
    arguments: [
      Row("status 302", .redirect(to: "https://evil.example/"), .pushedRequest(.unexpectedStatus(302))),
      Row("status 204", .text("", status: .noContent), .pushedRequest(.unexpectedStatus(204))),
      Row("status 405", .text("", status: .methodNotAllowed), .pushedRequest(.unexpectedStatus(405))),
      Row("HTML instead of JSON", .json("<html>", status: .created), .pushedRequest(.malformed)),
      Row("no request_uri", .json(#"{"expires_in":60}"#, status: .created), .pushedRequest(.malformed)),
      Row("no expires_in", .json(#"{"request_uri":"urn:x:y"}"#, status: .created), .pushedRequest(.malformed)),
      Row(
        "expires_in of zero", .json(#"{"request_uri":"urn:x:y","expires_in":0}"#, status: .created),
        .pushedRequest(.lifetimeInvalid)),
      Row("empty request_uri", pushedResponse(""), .pushedRequest(.requestURIMalformed)),
      Row("relative request_uri", pushedResponse("x"), .pushedRequest(.requestURIMalformed)),
      Row("space in the request_uri", pushedResponse("urn:x:y z"), .pushedRequest(.requestURIMalformed)),
      Row(
        "very long request_uri", pushedResponse("urn:" + String(repeating: "x", count: 3000)),
        .pushedRequest(.requestURIMalformed)),
      Row(
        "error response with status 400", SignInFixture.error("invalid_request"),
        .refused(OAuthErrorResponse(error: "invalid_request", description: nil))),
      Row(
        "error response with status 401", SignInFixture.error("invalid_client", status: .unauthorized),
        .refused(OAuthErrorResponse(error: "invalid_client", description: nil))),
      Row(
        "error response with status 200", SignInFixture.error("invalid_client", status: .ok),
        .refused(OAuthErrorResponse(error: "invalid_client", description: nil))),
    ])
  func hostile(_ row: Row) async throws {
    self.fixture.transport.on(DPoPServer.pushURL, respond: row.response)
    let user = try self.browser()
    await #expect(throws: row.error) {
      try await self.server.client(.never).signIn(scopes: ["notes"], via: user, receiver: user)
    }
    #expect(user.opened.isEmpty)
  }

  /// The outcomes of a request to a missing or unavailable endpoint, each with the error if the server requires pushed
  /// requests.
  static let unavailable: [(outcome: FakeTransport.Outcome, error: SignInError)] = [
    (.success(.text("", status: .notFound)), .pushedRequest(.unexpectedStatus(404))),
    (.success(.text("", status: .tooManyRequests)), .unavailable(status: 429)),
    (.success(.text("", status: .internalServerError)), .unavailable(status: 500)),
    (.failure(.timedOut), .network(.timedOut)), (.failure(.unreachable(reason: "")), .network(.unreachable(reason: ""))),
  ]

  @Test("if the endpoint is missing or unavailable, the whole request goes through the browser", arguments: Self.unavailable)
  func fallback(_ row: (outcome: FakeTransport.Outcome, error: SignInError)) async throws {
    self.fixture.transport.on(DPoPServer.pushURL) { _ in row.outcome }
    let user = try self.fixture.browser()
    self.server.grantTokens()
    _ = try await self.server.client().signIn(scopes: ["notes"], via: user, receiver: user)
    #expect(user.parameters["code_challenge_method"] == "S256")
    #expect(user.parameters["state"] != nil && user.parameters["request_uri"] == nil)
  }

  @Test(
    "RFC 9126 §5: if the server requires pushed requests, a missing or unavailable endpoint is an error",
    arguments: Self.unavailable)
  func noFallback(_ row: (outcome: FakeTransport.Outcome, error: SignInError)) async throws {
    let server = try DPoPServer {
      $0.metadata.pushedAuthorizationRequestEndpoint = DPoPServer.pushURL
      $0.metadata.requirePushedAuthorizationRequests = true
    }
    server.fixture.transport.on(DPoPServer.pushURL) { _ in row.outcome }
    let user = try server.fixture.browser()
    await #expect(throws: row.error) {
      try await server.client().signIn(scopes: ["notes"], via: user, receiver: user)
    }
    #expect(user.opened.isEmpty)
  }

  @Test("RFC 9126 §2.2: a request_uri cannot inject a parameter into the URL that is opened")
  func smuggling() async throws {
    self.fixture.transport.on(DPoPServer.pushURL, respond: Self.pushedResponse("urn:x:y&client_id=evil&prompt=none"))
    let user = try self.browser()
    self.server.grantTokens()
    _ = try await self.server.client().signIn(scopes: ["notes"], via: user, receiver: user)
    #expect(Set(user.parameters.names) == ["client_id", "request_uri"])
    #expect(user.parameters["client_id"] == "notes")
  }

  @Test("if the server's error description contains the state, the SDK's error does not contain it")
  func noSecrets() async throws {
    self.fixture.transport.on(DPoPServer.pushURL) { request in
      .success(SignInFixture.error("invalid_request", description: "state \(request.form?["state"] ?? "")"))
    }
    let user = try self.browser()
    await #expect(throws: SignInError.refused(OAuthErrorResponse(error: "invalid_request", description: "state <redacted>"))) {
      try await self.server.client().signIn(scopes: ["notes"], via: user, receiver: user)
    }
  }

  @Test("RFC 9126 §5: if a server requires pushed requests but names no endpoint, the sign-in fails before the browser opens")
  func endpointMissing() async throws {
    let server = try DPoPServer { $0.metadata.requirePushedAuthorizationRequests = true }
    let user = try server.fixture.browser()
    await #expect(throws: SignInError.pushedRequest(.endpointMissing)) {
      try await server.client().signIn(scopes: ["notes"], via: user, receiver: user)
    }
    #expect(user.opened.isEmpty)
  }
}
