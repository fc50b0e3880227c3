import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

@Suite("Several APIs with one authorization server", .timeLimit(.minutes(1)))
struct SeveralResourcesTests {
  /// How the app gets its client identifier.
  enum Identity: CaseIterable {
    case configured, document, registered

    var app: AppIdentity {
      AppIdentity(
        metadata: ClientMetadata(native: "Notes"), clientID: { _ in self == .configured ? "given" : nil },
        document: { _ in self == .document ? ClientIDDocumentURL("https://notes.example/client/id.example") : nil })
    }
  }

  private static let first = "https://a.example/mcp"
  private static let second = "https://b.example/mcp"

  private let server: FakeRegistrar
  private var fixture: SignInFixture { self.server.fixture }

  init() throws {
    self.server = try FakeRegistrar(acceptsDocuments: true)
    let transport = self.server.fixture.transport
    for host in ["a.example", "b.example"] {
      transport.on("https://\(host)/mcp") { request in
        guard request.head.headerFields[.authorization] == nil else { return .success(.json("{}")) }
        let challenge = #"Bearer resource_metadata="https://\#(host)/meta""#
        return .success(.body([], type: nil, status: .unauthorized, headers: [.wwwAuthenticate: challenge]))
      }
      transport.on(
        "https://\(host)/meta",
        respond: .json(#"{"resource":"https://\#(host)/mcp","authorization_servers":["https://id.example"]}"#))
    }
    // Each token names the API that it is for.
    transport.on(SignInFixture.tokenURL) { request in
      let resource = request.form?["resource"] ?? "none"
      return .success(SignInFixture.tokens("access-\(Self.tag(resource))", refresh: "refresh-\(Self.tag(resource))"))
    }
    transport.on(SignInFixture.revokeURL, respond: .json(""))
  }

  /// Returns an API's URL without its colon, to be used in a token. Tokens cannot contain colons (RFC 6750 §2.1).
  private static func tag(_ api: String) -> String { api.filter { $0 != ":" } }

  private func client(_ api: String, _ identity: Identity) throws -> ResourceClient {
    ResourceClient(
      try EndpointURL(api), app: identity.app, store: self.fixture.store, transport: self.fixture.transport,
      now: self.fixture.clock.dates)
  }

  private func signIn(_ api: String, _ identity: Identity) async throws -> OAuthSession {
    let user = try self.fixture.browser()
    return try await self.client(api, identity).signIn(redirects: [.loopback(via: user, receiver: user)])
  }

  /// Returns a request to an API.
  /// - Parameter api: A URL that consists of `https://`, a host, and `/mcp`.
  private func request(_ api: String) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "https", authority: String(api.dropFirst(8).dropLast(4)), path: "/mcp")
  }

  /// The `Authorization` header fields that were sent to an API.
  private func sentAuthorizations(to api: String) -> Set<String> {
    Set(self.fixture.transport.requests(to: api).compactMap { $0.head.headerFields[.authorization] })
  }

  @Test(
    "C-34: two APIs with one server have separate sessions that are restored independently and never mixed",
    arguments: Identity.allCases)
  func sideBySide(_ identity: Identity) async throws {
    let firstSession = try await self.signIn(Self.first, identity)
    _ = try await self.signIn(Self.second, identity)
    #expect(self.fixture.transport.requests(to: SignInFixture.revokeURL).isEmpty)
    // The first access token expires in five seconds, so the first session refreshes it before the request.
    self.fixture.clock.advance(by: .seconds(595))
    _ = try await firstSession.send(self.request(Self.first))
    for api in [Self.first, Self.second] {
      let session = try #require(try await self.client(api, identity).restoreSession())
      try await session.refresh()
      let refresh = try #require(self.fixture.refreshRequests.last?.form)
      #expect(refresh.values(of: "resource") == [api])
      #expect(refresh["refresh_token"] == "refresh-\(Self.tag(api))")
      _ = try await session.send(self.request(api))
      let other = api == Self.first ? Self.second : Self.first
      await #expect(throws: SessionError.originNotAllowed) { try await session.send(self.request(other)) }
    }
    #expect(self.sentAuthorizations(to: Self.first) == ["Bearer access-\(Self.tag(Self.first))"])
    #expect(self.sentAuthorizations(to: Self.second) == ["Bearer access-\(Self.tag(Self.second))"])
  }

  @Test("signing out of one API keeps the session of another", arguments: Identity.allCases)
  func signOut(_ identity: Identity) async throws {
    let first = try await self.signIn(Self.first, identity)
    _ = try await self.signIn(Self.second, identity)
    #expect(try await first.signOut() == .revoked)
    let revokedTokens = self.fixture.transport.requests(to: SignInFixture.revokeURL).compactMap { $0.form?["token"] }
    #expect(revokedTokens == ["refresh-\(Self.tag(Self.first))", "access-\(Self.tag(Self.first))"])
    #expect(try await self.client(Self.first, identity).restoreSession() == nil)
    let second = try #require(try await self.client(Self.second, identity).restoreSession())
    #expect(try await second.accessToken().reveal() == "access-\(Self.tag(Self.second))")
  }

  @Test("C-34: a session that is stored for one API is ignored if its tokens are for another API")
  func foreignGrant() async throws {
    _ = try await self.signIn(Self.first, .configured)
    // A `ResourceClient` stores its session under the API's URL as the account. This sign-in replaces that session.
    let client = OAuthClient(
      issuer: self.fixture.server.issuer, clientID: "given", store: self.fixture.store, transport: self.fixture.transport,
      account: Self.first, now: self.fixture.clock.dates)
    let user = try self.fixture.browser()
    var options = SignInOptions(scopes: ["notes"])
    options.resources = [try ResourceIndicator(Self.second)]
    _ = try await client.signIn(options, via: user, receiver: user)
    #expect(try await self.client(Self.first, .configured).restoreSession() == nil)
  }

  @Test("C-34: the client's token origins apply only if the sign-in names no resource that is a URL")
  func namedAPIs() async throws {
    let client = try self.fixture.client(tokenOrigins: [Self.first])
    for (resources, allowed) in [([], Self.first), (["urn:example:api"], Self.first), ([Self.second], Self.second)] {
      let user = try self.fixture.browser()
      let session = try await client.signIn(
        scopes: ["notes"], resources: try resources.map { try ResourceIndicator($0) }, via: user, receiver: user)
      let other = allowed == Self.first ? Self.second : Self.first
      #expect(try await session.send(self.request(allowed)).head.status == .ok)
      await #expect(throws: SessionError.originNotAllowed) { try await session.send(self.request(other)) }
    }
  }

  @Test("RFC 7592 §2.3: deleting a registration removes its sessions for all APIs, and no sessions of another client")
  func unregistered() async throws {
    _ = try await self.signIn(Self.first, .registered)
    _ = try await self.signIn(Self.second, .registered)
    _ = try await self.signIn(Self.first, .configured)
    #expect(try await self.fixture.store.storedSessions().count == 3)
    try await self.server.instance().delete()
    #expect(try await self.fixture.store.storedSessions().map(\.clientID) == ["given"])
    #expect(self.fixture.store.keys.filter { $0.kind == "grant" }.count == 1)
  }
}
