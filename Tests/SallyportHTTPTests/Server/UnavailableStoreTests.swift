import HTTPTestSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import SallyportHTTP
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

/// Sends each request several times: the store becomes unavailable before the first read or write of the request, then
/// before the second, and so on, until the request has no further read or write that could fail.
private final class InterruptingClient: TestClientProtocol {
  let base: any TestClientProtocol
  let store: FailingStore
  let server: AuthorizationServer
  /// The requests during which the store was unavailable, as method and path.
  let failures = Mutex<[String]>([])

  init(base: any TestClientProtocol, store: FailingStore, server: AuthorizationServer) {
    self.base = base
    self.store = store
    self.server = server
  }

  var port: Int? { self.base.port }

  func executeRequest(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields, body: ByteBuffer?
  ) async throws -> TestResponse {
    for calls in 0... {
      // Without its cache, the server must read the store in every attempt.
      self.server.cache.invalidate()
      self.store.interrupt(after: calls)
      let response = try await self.base.executeRequest(uri: uri, method: method, headers: headers, body: body)
      guard self.store.wasInterrupted else { return response }
      let path = String(uri.prefix { $0 != "?" })
      self.failures.withLock { $0.append("\(method) \(path)") }
      self.expectTemporary(response, to: "\(method) \(path), interrupted after \(calls) calls")
    }
    preconditionFailure()
  }

  /// Expects a response that reports a temporary failure: a redirect with the error `server_error` or
  /// `temporarily_unavailable`, or 503 with Retry-After.
  private func expectTemporary(_ response: TestResponse, to request: String) {
    if let location = response.headers[.location] {
      let isTemporary = location.contains("error=server_error") || location.contains("error=temporarily_unavailable")
      #expect(isTemporary, "\(request): \(location)")
    } else {
      #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] != nil, "\(request): \(response.status)")
    }
  }
}

@Suite("The server while its store is unavailable", .timeLimit(.minutes(3)))
struct UnavailableStoreTests {
  /// Runs `body` with the site of a server whose store can fail.
  private func withFailingStore(
    _ body: @escaping @Sendable (Site, FailingStore, AuthorizationServer) async throws -> Void
  ) async throws {
    let fixture = try await TestServer()
    let store = FailingStore(fixture.store)
    let server = AuthorizationServer(
      configuration: fixture.server.configuration, store: store, masterKey: fixture.masterKey, hasher: TestPasswordHasher(),
      now: fixture.clock.source)
    try await withSite(fixture, AuthorizationServerRouter(server: server, failuresPerSecond: 0)) { site in
      try await body(site, store, server)
    }
  }

  /// Runs `body` with an `InterruptingClient`.
  /// - Parameter requests: Requests that `body` sends, as method and path. Each must fail at least once because the
  ///   store is unavailable. `body` may send other requests too.
  private func withInterruptions(of requests: Set<String>, _ body: @escaping @Sendable (Site) async throws -> Void) async throws {
    try await self.withFailingStore { site, store, server in
      let client = InterruptingClient(base: site.http, store: store, server: server)
      try await body(Site(fixture: site.fixture, http: client))
      let failed = client.failures.withLock { $0 }
      #expect(requests.subtracting(failed).isEmpty)
    }
  }

  @Test("a sign-in succeeds if each request is repeated after it was rejected with 503")
  func signIn() async throws {
    try await self.withInterruptions(of: [
      "GET /authorize", "POST /authorize", "GET /interaction", "POST /interaction/sign-in", "POST /interaction/consent",
      "POST /token", "GET /userinfo", "POST /introspect", "POST /revoke", "GET /", "GET /end-session", "POST /sign-out",
    ]) { site in
      let browser = TestBrowser(site)
      let request = AuthorizeParameters().with("scope", "openid offline_access")
      #expect(try await browser.post("/authorize", request.list).status == .seeOther)
      let code = try #require(try await browser.complete(request).parameters["code"])
      let first = try Tokens(try await site.redeem(code))
      let second = try Tokens(try await site.refresh(first.refresh))
      #expect(try await site.userinfo(second.access).status == .ok)
      let fields = [("token", second.access), ("client_id", "web"), ("client_secret", TestClient.secret)]
      #expect(try await site.post("/introspect", fields).status == .ok)
      #expect(try await site.post("/revoke", [("token", second.refresh), ("client_id", "loopback")]).status == .ok)
      #expect(try await browser.open("/").status == .ok)
      let page = try await browser.open("/end-session?id_token_hint=\(second.id)")
      _ = try await browser.submit(page, [])
    }
  }

  @Test("pushed requests, devices, and registrations succeed if each request is repeated after it was rejected with 503")
  func otherRequests() async throws {
    try await self.withInterruptions(of: [
      "POST /par", "POST /device_authorization", "POST /token", "POST /register",
    ]) { site in
      let pushed = try await site.post("/par", AuthorizeParameters().list)
      let uri = try #require(pushed.json["request_uri"])
      let query = FormParameters.encode([("client_id", "loopback"), ("request_uri", uri)])
      _ = try await TestBrowser(site).open("/authorize?\(query)")
      let device = try await site.beginDevice()
      try await TestBrowser(site).allow(device)
      #expect(try await site.poll(device).status == .ok)
      let registration = try await site.register(Site.mcpClient).registration
      let token = try #require(registration.registrationAccessToken?.reveal())
      #expect(try await site.manage(.get, registration.clientID, token: token).status == .ok)
      #expect(try await site.manage(.delete, registration.clientID, token: token).status == .noContent)
      let fields = [("grant_type", "client_credentials"), ("client_id", "web"), ("client_secret", TestClient.secret)]
      _ = try await site.post("/token", fields)
    }
  }

  @Test(
    """
    a request for an association file gets 503 while the store is unavailable, and otherwise 404, because no client names \
    an app
    """,
    arguments: ["apple-app-site-association", "assetlinks.json"])
  func associationFiles(_ name: String) async throws {
    try await self.withInterruptions(of: ["GET /.well-known/\(name)"]) { site in
      let reply = try await site.send(.get, "/.well-known/\(name)")
      #expect(reply.status == .notFound)
    }
  }

  @Test("while the store is unavailable, the metadata is still available, and so is the JWK Set if it was read before")
  func documents() async throws {
    try await self.withFailingStore { site, store, server in
      store.interrupt(after: 0)
      #expect(try await site.send(.get, "/.well-known/openid-configuration").status == .ok)
      #expect(try await site.send(.get, "/.well-known/oauth-authorization-server").status == .ok)
      let unavailable = try await site.send(.get, "/jwks.json")
      #expect(unavailable.status == .serviceUnavailable && unavailable.headers[.retryAfter] != nil)
      store.interrupt(after: nil)
      let keys = try await site.send(.get, "/jwks.json")
      store.interrupt(after: 0)
      site.fixture.clock.advance(by: .seconds(3600))
      server.cache.invalidate()
      let remembered = try await site.send(.get, "/jwks.json")
      #expect(remembered.status == .ok && remembered.body == keys.body)
    }
  }

  @Test("while writes fail, the revocation of an unknown refresh token fails too, because a former primary may lack the token")
  func revocation() async throws {
    try await self.withFailingStore { site, store, _ in
      let refreshToken = try await site.tokens().refresh
      // The same grant, but a token that does not exist.
      let unknown = refreshToken.dropLast() + "9"
      store.fail(with: .outcomeUnknown(reason: "the standby does not confirm the commit"))
      for token in [refreshToken, String(unknown)] {
        let reply = try await site.post("/revoke", [("token", token), ("client_id", "loopback")])
        #expect(reply.status == .serviceUnavailable && reply.headers[.retryAfter] != nil)
      }
    }
  }

  @Test("while the store is unavailable, the JWK Set still leaves out keys whose publication has ended")
  func endOfPublication() async throws {
    let fixture = try await TestServer()
    let store = FailingStore(fixture.store)
    let management = KeyManagement(store: store, masterKey: fixture.masterKey, now: fixture.clock.source)
    let old = try await management.list().map(\.id)
    _ = try await management.rotate()
    let cache = ConfigurationCache(
      store: store, masterKey: fixture.masterKey, lifetimes: Lifetimes(), now: fixture.clock.source)
    let both = String(decoding: try await cache.publishedKeys(), as: UTF8.self)
    store.interrupt(after: 0)
    // Retired keys are published for less than seven days.
    fixture.clock.advance(by: .seconds(7 * 86_400))
    let later = String(decoding: try await cache.publishedKeys(), as: UTF8.self)
    #expect(!old.isEmpty)
    for id in old { #expect(both.contains(id) && !later.contains(id)) }
  }

  @Test("a server that starts while the store is unavailable publishes the keys that an earlier one has saved")
  func savedKeys() async throws {
    let fixture = try await TestServer()
    let (store, copy) = (FailingStore(fixture.store), SavedKeys())
    func startedServer() -> ConfigurationCache {
      let cache = ConfigurationCache(
        store: store, masterKey: fixture.masterKey, lifetimes: Lifetimes(), now: fixture.clock.source)
      cache.keepPublishedKeys(in: copy)
      return cache
    }
    store.interrupt(after: 0)
    await #expect(throws: KeyRingError.self) { try await startedServer().publishedKeys() }
    store.interrupt(after: nil)
    let first = try await startedServer().publishedKeys()
    store.interrupt(after: 0)
    #expect(try await startedServer().publishedKeys() == first)

    store.interrupt(after: nil)
    let management = KeyManagement(store: store, masterKey: fixture.masterKey, now: fixture.clock.source)
    let old = try await management.list().map(\.id)
    _ = try await management.rotate()
    let both = try await startedServer().publishedKeys()
    #expect(both != first)
    store.interrupt(after: 0)
    #expect(try await startedServer().publishedKeys() == both)
    fixture.clock.advance(by: .seconds(7 * 86_400))
    let later = String(decoding: try await startedServer().publishedKeys(), as: UTF8.self)
    #expect(later.contains("kid") && !old.isEmpty)
    for id in old { #expect(!later.contains(id)) }
  }
}

/// A copy of the published keys in memory.
private final class SavedKeys: PublishedKeyCopy {
  private let keys = Mutex<[PublishedKey]?>(nil)

  func load() -> [PublishedKey]? { self.keys.withLock { $0 } }

  func save(_ keys: [PublishedKey]) { self.keys.withLock { $0 = keys } }
}
