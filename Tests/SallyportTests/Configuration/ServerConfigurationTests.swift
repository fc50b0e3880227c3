import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Server configuration", .timeLimit(.minutes(1)))
struct ServerConfigurationTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
  }

  private var server: ServerConfiguration { ServerConfiguration(issuer: self.fixture.server.issuer) }

  private func client(_ server: ServerConfiguration, secret: String? = nil) -> OAuthClient {
    OAuthClient(
      server: server, clientID: "notes", store: self.fixture.store, transport: self.fixture.transport, dpop: .never,
      clientSecret: secret.map { .insecureShared(Secret($0)) }, now: self.fixture.clock.dates)
  }

  /// Signs in and returns the session and the parameters of the authorization request.
  private func signIn(
    _ server: ServerConfiguration, secret: String? = nil, _ options: SignInOptions = SignInOptions(scopes: ["read"])
  ) async throws -> (session: OAuthSession, request: FormParameters) {
    let user = try self.fixture.browser()
    self.fixture.grantTokens(to: user)
    let session = try await self.client(server, secret: secret).signIn(options, via: user, receiver: user)
    let query = try #require(user.opened.first?.split(separator: "?", maxSplits: 1).last)
    return (session, try FormParameters(parsing: query))
  }

  @Test("without discovery, no metadata is fetched and the configured endpoints are used")
  func withoutDiscovery() async throws {
    let server = ServerConfiguration(
      issuer: self.fixture.server.issuer, authorizationEndpoint: try EndpointURL("https://login.example/authorize"),
      tokenEndpoint: try EndpointURL(SignInFixture.tokenURL))
    let user = try FakeBrowser { [SignInFixture.response(to: $0, iss: nil)] }
    self.fixture.grantTokens(to: user)
    _ = try await self.client(server).signIn(scopes: ["read"], via: user, receiver: user)
    #expect(user.opened.first?.hasPrefix("https://login.example/authorize?") == true)
    #expect(self.fixture.transport.requests.map(\.url) == [SignInFixture.tokenURL])
  }

  @Test("C-29: without discovery, an ID token is rejected unless the URL of the key set is configured")
  func keys() async throws {
    var server = ServerConfiguration(
      issuer: self.fixture.server.issuer, authorizationEndpoint: try EndpointURL("https://id.example/authorize"),
      tokenEndpoint: try EndpointURL(SignInFixture.tokenURL))
    await #expect(throws: SignInError.idToken(.key(.unknownKey))) {
      try await self.signIn(server, SignInOptions(scopes: [.openID]))
    }
    server.jwksURI = try EndpointURL("https://id.example/jwks")
    #expect(try await self.signIn(server, SignInOptions(scopes: [.openID])).session.claims?.subject == "ada")
  }

  @Test("the metadata document at the configured URL is used")
  func document() async throws {
    let url = "https://cdn.example/metadata.json"
    self.fixture.transport.on(self.fixture.server.configurationURL, respond: .text("", status: .internalServerError))
    self.fixture.transport.on(url, respond: .json(encoding: self.fixture.server.metadata))
    var server = self.server
    server.discovery = .document(try EndpointURL(url))
    _ = try await self.signIn(server)
    #expect(self.fixture.transport.requests.first?.url == url)
  }

  @Test("C-32: the metadata document at the configured URL must name the issuer")
  func documentOfAnotherIssuer() async throws {
    let url = "https://cdn.example/metadata.json"
    var metadata = self.fixture.server.metadata
    metadata.issuer = "https://evil.example"
    self.fixture.transport.on(url, respond: .json(encoding: metadata))
    var server = self.server
    server.discovery = .document(try EndpointURL(url))
    await #expect(throws: SignInError.discovery(.issuerMismatch(found: "https://evil.example"))) {
      try await self.signIn(server)
    }
  }

  @Test("configured members replace the members of the metadata document before the document is validated")
  func overriding() async throws {
    let fixture = try SignInFixture { $0.metadata.codeChallengeMethodsSupported = ["plain"] }
    let user = try fixture.browser()
    fixture.grantTokens(to: user)
    var server = ServerConfiguration(issuer: fixture.server.issuer)
    func signIn() async throws -> OAuthSession {
      try await OAuthClient(
        server: server, clientID: "notes", store: fixture.store, transport: fixture.transport, now: fixture.clock.dates
      ).signIn(scopes: ["read"], via: user, receiver: user)
    }
    await #expect(throws: SignInError.discovery(.s256NotSupported)) { try await signIn() }
    // `.null` removes the member of the document.
    server.metadata["code_challenge_methods_supported"] = .null
    server.authorizationEndpoint = try EndpointURL("https://login.example/authorize")
    _ = try await signIn()
    #expect(user.opened.first?.hasPrefix("https://login.example/authorize?") == true)
    #expect(user.opened.first?.contains("code_challenge_method=S256") == true)
  }

  @Test("C-23: a configured endpoint must follow the same rules as an endpoint in the metadata document")
  func unsafeMember() async throws {
    var server = self.server
    server.metadata["token_endpoint"] = "http://127.0.0.1:9/token"
    await #expect(throws: SignInError.discovery(.downgrade(.token))) { try await self.signIn(server) }
    server.metadata["token_endpoint"] = "javascript:alert(1)"
    await #expect(throws: SignInError.discovery(.endpoint(.token, .malformed))) { try await self.signIn(server) }
    #expect(self.fixture.tokenRequests.isEmpty)
  }

  @Test("C-19: if the metadata announces iss, only the configuration can make iss optional, and a wrong iss is always rejected")
  func missingIssuer() async throws {
    let userWithoutIss = try FakeBrowser { [SignInFixture.response(to: $0, iss: nil)] }
    self.fixture.grantTokens(to: userWithoutIss)
    var server = self.server
    await #expect(throws: SignInError.response(.issuerMissing)) {
      try await self.client(server).signIn(scopes: ["read"], via: userWithoutIss, receiver: userWithoutIss)
    }
    server.announcesIssuer = false
    _ = try await self.client(server).signIn(scopes: ["read"], via: userWithoutIss, receiver: userWithoutIss)

    let userWithWrongIss = try FakeBrowser { [SignInFixture.response(to: $0, iss: "https://evil.example")] }
    await #expect(throws: SignInError.response(.issuerMismatch)) {
      try await self.client(server).signIn(scopes: ["read"], via: userWithWrongIss, receiver: userWithWrongIss)
    }
  }

  @Test(
    "a shared secret is sent with the configured method, or not at all if the method is `none`, whatever the metadata lists",
    arguments: ServerConfiguration.ClientAuthenticationMethod.allCases)
  func clientAuthentication(method: ServerConfiguration.ClientAuthenticationMethod) async throws {
    let other = ServerConfiguration.ClientAuthenticationMethod.allCases.first { $0 != method }
    var server = self.server
    server.metadata["token_endpoint_auth_methods_supported"] = .array([.string(other?.rawValue ?? "")])
    server.clientAuthentication = method
    _ = try await self.signIn(server, secret: "hush")
    let request = try #require(self.fixture.tokenRequests.first)
    #expect((request.head.headerFields[.authorization] != nil) == (method == .clientSecretBasic))
    #expect((request.form?["client_secret"] == "hush") == (method == .clientSecretPost))
    #expect((request.form?["client_id"] == "notes") == (method != .clientSecretBasic))
  }

  @Test("requests to the server contain the configured header fields, except those that the client sets itself")
  func headers() async throws {
    var server = self.server
    server.headers[.userAgent] = "Notes/1"
    server.headers[.accept] = "text/html"
    server.headers[.authorization] = "Basic x"
    _ = try await self.signIn(server, secret: "hush")
    for request in self.fixture.transport.requests {
      #expect(request.head.headerFields[.userAgent] == "Notes/1")
      #expect(request.head.headerFields[values: .accept] == ["application/json"])
    }
    #expect(self.fixture.tokenRequests.first?.head.headerFields[values: .authorization].count == 1)
    #expect(self.fixture.tokenRequests.first?.head.headerFields[.authorization] != "Basic x")
  }

  @Test(
    "form_post with a redirect URI that is not https fails before the browser opens",
    arguments: ["http://127.0.0.1:49152/oauth2redirect/id.example", "com.example.app:/cb"])
  func formPostInApp(redirectURI: String) async throws {
    var server = self.server
    server.responseMode = .formPost
    let client = self.client(server)
    let user = try FakeBrowser(redirectURI) { _ in [] }
    await #expect(throws: SignInError.formPostRequiresHTTPS) {
      try await client.signIn(scopes: ["read"], via: user, receiver: user)
    }
    await #expect(throws: SignInError.formPostRequiresHTTPS) {
      try await client.beginSignIn(scopes: ["read"], redirect: RedirectURI(redirectURI))
    }
    #expect(user.opened.isEmpty)
  }

  @Test(
    "with an https redirect URI, the request can have the response mode form_post, and the app resumes with the form as a query")
  func formPost() async throws {
    var server = self.server
    server.responseMode = .formPost
    let client = self.client(server)
    let page = try await client.beginSignIn(scopes: ["read"], redirect: RedirectURI("https://app.example/cb"))
    let request = try FormParameters(parsing: #require(page.value.split(separator: "?").last))
    #expect(request["response_mode"] == "form_post")
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: nil))
    let form = FormParameters.encode([
      (name: "code", value: "code-1"), (name: "state", value: request["state"] ?? ""), (name: "iss", value: SignInFixture.issuer),
    ])
    let session = try await client.resume(from: "https://app.example/cb?\(form)")
    #expect(try await session.accessToken().reveal() == "access-1")
  }

  @Test("C-29: the configured clock skew limits how far in the future an ID token's iat may be")
  func clockSkew() async throws {
    let user = try self.fixture.browser()
    self.fixture.grantTokens(to: user) { $0["iat"] = .integer(self.fixture.clock.now.seconds + 150) }
    var server = self.server
    await #expect(throws: SignInError.idToken(.issuedInFuture)) {
      try await self.client(server).signIn(scopes: [.openID], via: user, receiver: user)
    }
    server.clockSkew = .seconds(180)
    _ = try await self.client(server).signIn(scopes: [.openID], via: user, receiver: user)
  }
}
