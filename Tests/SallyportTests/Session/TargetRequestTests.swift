import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Requests with tokens for several APIs", .timeLimit(.minutes(1)))
struct TargetRequestTests {
  private let fixture: SignInFixture
  /// Names tokens after their target: `v1-2` is for `https://billing.example/v1`, and comes from the first refresh.
  private let server = TargetServer()

  init() throws {
    self.fixture = try SignInFixture()
  }

  private func session(_ resources: [String] = []) async throws -> OAuthSession {
    let user = try self.fixture.browser()
    self.fixture.grantTokens(to: user)
    var options = SignInOptions(scopes: [.openID, .offlineAccess])
    options.resources = try resources.map { try ResourceIndicator($0) }
    let session = try await self.fixture.client(tokenOrigins: ["https://api.example/"]).signIn(options, via: user, receiver: user)
    self.server.serve(on: self.fixture.transport)
    return session
  }

  private func request(_ host: String) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "https", authority: host, path: "/")
  }

  @Test("C-34: the token for another API is sent only to that API, and the session's own token is not sent to it")
  func resources() async throws {
    let session = try await self.session()
    let billing = try TokenTarget.api("https://billing.example/v1")
    _ = try await session.send(self.request("billing.example"), for: billing)
    let sentRequests = self.fixture.transport.requests(to: "https://billing.example/")
    #expect(sentRequests.map { $0.head.headerFields[.authorization] } == ["Bearer v1-2"])
    let count = self.fixture.transport.requests.count
    for host in ["api.example", "evil.example"] {
      await #expect(throws: SessionError.originNotAllowed) { try await session.send(self.request(host), for: billing) }
    }
    await #expect(throws: SessionError.originNotAllowed) { try await session.send(self.request("billing.example")) }
    #expect(self.fixture.transport.requests.count == count)
  }

  @Test(
    "C-34: the token for another scope is sent only to the target's token origins, or to the client's token origins if the target has none"
  )
  func scopes() async throws {
    let session = try await self.session()
    var graph = TokenTarget(scope: "User.Read")
    _ = try await session.send(self.request("api.example"), for: graph)
    graph.tokenOrigins = [try EndpointURL("https://graph.example/")]
    _ = try await session.send(self.request("graph.example"), for: graph)
    await #expect(throws: SessionError.originNotAllowed) { try await session.send(self.request("api.example"), for: graph) }
  }

  @Test("C-34: if the sign-in named resources, the token for another scope is sent only to these resources")
  func scopeOfResource() async throws {
    let session = try await self.session(["https://notes.example/"])
    let narrowTarget = TokenTarget(scope: "notes:read")
    _ = try await session.send(self.request("notes.example"), for: narrowTarget)
    #expect(self.fixture.refreshRequests.last?.form?["resource"] == "https://notes.example/")
    await #expect(throws: SessionError.originNotAllowed) {
      try await session.send(self.request("api.example"), for: narrowTarget)
    }
  }

  @Test("C-34: the token for a resource that is not a URL is not sent to the resources of the sign-in")
  func resourceWithoutURL() async throws {
    let session = try await self.session(["https://notes.example/"])
    let ledger = try TokenTarget.api("urn:example:ledger")
    await #expect(throws: SessionError.originNotAllowed) { try await session.send(self.request("notes.example"), for: ledger) }
    #expect(try await session.send(self.request("api.example"), for: ledger).head.status == .notFound)
  }

  @Test("if an API rejects its token, only that API's token is requested again")
  func rejected() async throws {
    let session = try await self.session()
    let billing = try TokenTarget.api("https://billing.example/v1")
    self.fixture.transport.on("https://billing.example/", respond: .text("", status: .unauthorized))
    _ = try await session.accessToken(for: billing)
    // A rejected token is requested again only if it is more than ten seconds old.
    self.fixture.clock.advance(by: .seconds(60))
    _ = try await session.send(self.request("billing.example"), for: billing)
    let sentRequests = self.fixture.transport.requests(to: "https://billing.example/")
    #expect(sentRequests.map { $0.head.headerFields[.authorization] } == ["Bearer v1-2", "Bearer v1-3"])
    #expect(try await session.accessToken().reveal() == "access-1")
  }

  @Test("RFC 9449 §5: a token for another API is bound to the session's key and sent with a proof")
  func bound() async throws {
    let server = try DPoPServer()
    let user = try server.fixture.browser()
    server.grantTokens(to: user)
    let session = try await server.client().signIn(scopes: [.openID, .offlineAccess], via: user, receiver: user)
    server.respondAtAPI(thumbprint: try #require(user.parameters["dpop_jkt"]))
    server.grantTokens()
    let target = try TokenTarget.api("https://api.example/notes")
    let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/notes")
    #expect(try await session.send(request, for: target).head.status == .ok)
    #expect(server.rejections.isEmpty)
    #expect(server.fixture.tokenRequests.last?.form?["resource"] == "https://api.example/notes")
    await #expect(throws: SessionError.boundToKey) { try await session.accessToken(for: target) }
  }
}
