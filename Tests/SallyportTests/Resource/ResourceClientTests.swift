import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Sign-in to an API by its URL", .timeLimit(.minutes(1)))
struct ResourceClientTests {
  private static let api = "https://api.example/mcp"

  private func server(offersRegistration: Bool = true, acceptsDocuments: Bool = false) throws -> FakeRegistrar {
    let server = try FakeRegistrar(acceptsDocuments: acceptsDocuments)
    if !offersRegistration {
      var metadata = server.fixture.server.metadata
      metadata.registrationEndpoint = nil
      server.fixture.transport.on(server.fixture.server.configurationURL, respond: .json(encoding: metadata))
    }
    let transport = server.fixture.transport
    transport.on(Self.api) { request in
      guard request.head.headerFields[.authorization] == nil else { return .success(.json(#"{"ok":true}"#)) }
      return .success(
        .body(
          [], type: nil, status: .unauthorized,
          headers: [.wwwAuthenticate: #"Bearer resource_metadata="https://api.example/meta", scope="mcp:read""#]))
    }
    transport.on(
      "https://api.example/meta",
      respond: .json(#"{"resource":"https://api.example/mcp","authorization_servers":["https://id.example"]}"#))
    transport.on(SignInFixture.tokenURL) { _ in .success(SignInFixture.tokens("access-1", refresh: "refresh-1")) }
    return server
  }

  private func client(_ server: FakeRegistrar, _ app: AppIdentity? = nil) throws -> ResourceClient {
    ResourceClient(
      try EndpointURL(Self.api), app: app ?? AppIdentity(metadata: ClientMetadata(native: "Notes")), store: server.fixture.store,
      transport: server.fixture.transport, now: server.fixture.clock.dates)
  }

  private func signIn(_ server: FakeRegistrar, _ app: AppIdentity? = nil) async throws -> (OAuthSession, FormParameters) {
    let user = try server.fixture.browser()
    let session = try await self.client(server, app).signIn(redirects: [.loopback(via: user, receiver: user)])
    return (session, try FormParameters(parsing: user.opened[0].split(separator: "?")[1]))
  }

  @Test("C-21: for an API that is known only by its URL, one call finds its metadata and server, registers, and signs in")
  func oneCall() async throws {
    let server = try self.server()
    let (session, request) = try await self.signIn(server)
    #expect(session.clientID == "client-1")
    #expect(request["resource"] == Self.api)
    #expect(request["scope"] == "mcp:read")
    #expect(server.fixture.tokenRequests.first?.form?["resource"] == Self.api)
    let response = try await session.send(
      HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/mcp", headerFields: [:]))
    #expect(response.head.status == .ok)
  }

  @Test("C-21: the session is restored without network access, and only for this API and this app")
  func restores() async throws {
    let server = try self.server()
    _ = try await self.signIn(server)
    let before = server.fixture.transport.requests.count
    #expect(try await self.client(server).restoreSession()?.clientID == "client-1")
    #expect(try await self.client(server, AppIdentity(metadata: ClientMetadata(native: "Other"))).restoreSession() == nil)
    let other = ResourceClient(
      try EndpointURL("https://api.example/other"), app: AppIdentity(metadata: ClientMetadata(native: "Notes")),
      store: server.fixture.store, transport: server.fixture.transport)
    #expect(try await other.restoreSession() == nil)
    #expect(server.fixture.transport.requests.count == before)
  }

  @Test(
    "C-21: the client identifier is configured, or is the URL of a metadata document if the server accepts such URLs, or is registered",
    arguments: [
      (true, true, true, "given"), (false, true, true, "https://notes.example/client/id.example"),
      (false, true, false, "client-1"),
      (false, false, true, "client-1"),
    ])
  func identities(isConfigured: Bool, hasDocument: Bool, serverAcceptsDocuments: Bool, expected: String) async throws {
    let server = try self.server(acceptsDocuments: serverAcceptsDocuments)
    let app = AppIdentity(
      metadata: ClientMetadata(native: "Notes"), clientID: { _ in isConfigured ? "given" : nil },
      document: {
        hasDocument ? ClientIDDocumentURL("https://notes.example/client/\($0.value.dropFirst("https://".count))") : nil
      })
    let (session, request) = try await self.signIn(server, app)
    #expect(session.clientID == expected)
    #expect(request["client_id"] == expected)
    #expect(server.registrations.count == (expected == "client-1" ? 1 : 0))
    #expect(try await self.client(server, app).restoreSession()?.clientID == expected)
  }

  @Test("C-21: the app's configuration of a server is used, and must have the issuer that the API names")
  func configuration() async throws {
    let server = try self.server(offersRegistration: false)
    let app = AppIdentity(
      metadata: ClientMetadata(native: "Notes"),
      server: { issuer in
        var configuration = ServerConfiguration(issuer: issuer)
        configuration.registrationEndpoint = try? EndpointURL(FakeRegistrar.url)
        return configuration
      })
    let (session, _) = try await self.signIn(server, app)
    #expect(session.clientID == "client-1")
    #expect(try await self.client(server, app).restoreSession()?.clientID == "client-1")

    let user = try server.fixture.browser()
    let evil = try Issuer("https://evil.example")
    let other = AppIdentity(metadata: ClientMetadata(native: "Notes"), server: { _ in ServerConfiguration(issuer: evil) })
    await #expect(throws: ResourceSignInError.signIn(.discovery(.issuerMismatch(found: "https://evil.example")))) {
      try await self.client(server, other).signIn(redirects: [.loopback(via: user, receiver: user)])
    }
    #expect(user.opened.isEmpty)
  }

  @Test(
    "if the server offers no registration, or if the app chooses a server that the API does not name, the sign-in fails before the browser opens"
  )
  func noRegistration() async throws {
    let server = try self.server(offersRegistration: false)
    let user = try server.fixture.browser()
    await #expect(throws: ResourceSignInError.noClientID) {
      try await self.client(server).signIn(redirects: [.loopback(via: user, receiver: user)])
    }
    let choosingAnotherServer = ResourceClient(
      try EndpointURL(Self.api), app: AppIdentity(metadata: ClientMetadata(native: "Notes")), store: server.fixture.store,
      transport: server.fixture.transport, choose: { _ in try? Issuer("https://elsewhere.example") })
    await #expect(throws: ResourceSignInError.noServerChosen) {
      try await choosingAnotherServer.signIn(redirects: [.loopback(via: user, receiver: user)])
    }
    #expect(user.opened.isEmpty)
  }

  @Test(
    "the URL of a metadata document must begin with https:// and have a path other than /, but no dot segments, user information, or fragment",
    arguments: [
      ("https://notes.example/client.json", true), ("https://notes.example/a/b?v=1", true), ("https://notes.example/", false),
      ("https://notes.example", false), ("http://notes.example/c", false), ("http://127.0.0.1/c", false),
      ("https://notes.example/a/../c", false), ("https://notes.example/%2e%2E/c", false), ("https://notes.example/c#f", false),
      ("https://a@notes.example/c", false), ("notes", false), ("HTTPS://notes.example/c", false), ("", false),
    ])
  func documentURL(text: String, isValid: Bool) {
    #expect((ClientIDDocumentURL(text) != nil) == isValid)
  }
}
