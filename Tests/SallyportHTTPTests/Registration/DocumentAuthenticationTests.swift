import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// Without `Cache-Control`, a document is cached for an hour. An invalid document is fetched again after a minute.
@Suite("Authentication of document clients", .timeLimit(.minutes(5)))
struct DocumentAuthenticationTests {
  private static let id = "https://editor.example/client.json"
  private static let key = TestSigningKey.es256(id: "1")
  private let transport = FakeTransport()

  private static func document(_ key: TestSigningKey? = nil, at url: String = id) -> TransportResponse {
    var document: JSONValue = [
      "client_id": .string(url), "client_name": "Editor", "redirect_uris": ["http://127.0.0.1/cb"],
      "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    ]
    if let key {
      document["token_endpoint_auth_method"] = "private_key_jwt"
      document["jwks"] = TestIssuer.jwks([key])
    }
    return .json(encoding: document)
  }

  private var request: AuthorizeParameters { AuthorizeParameters().with("client_id", Self.id) }
  private var fetches: Int { self.transport.requests(to: Self.id).count }

  private func credentials(_ site: Site) throws -> [String: String?] {
    let claims = site.assertionClaims().merging(["iss": .string(Self.id), "sub": .string(Self.id)]) { $1 }
    return [
      "client_id": Self.id, "client_assertion_type": Site.assertionType, "client_assertion": try jwt(Self.key, claims),
    ]
  }

  private func refresh(_ site: Site, _ token: String) async throws -> Reply {
    try await site.refresh(token, changing: try self.credentials(site))
  }

  @Test(
    "a client whose document or key was withdrawn cannot authenticate until the publisher restores the document",
    // The first document has another key with the same identifier.
    arguments: [document(.es256(id: "1")), .json("", status: .gone), .text("<html>", status: .ok)])
  func withdrawn(response: TransportResponse) async throws {
    self.transport.on(Self.id, respond: Self.document(Self.key))
    try await withSite(transport: self.transport) { site in
      let code = try await site.code(self.request)
      var token = try Tokens(try await site.redeem(code, changing: try self.credentials(site))).refresh
      site.fixture.clock.advance(by: .seconds(3599))
      token = try Tokens(try await self.refresh(site, token)).refresh
      #expect(self.fetches == 1)

      self.transport.on(Self.id, respond: response)
      site.fixture.clock.advance(by: .seconds(2))
      for path in ["/token", "/par", "/device_authorization", "/revoke", "/token"] {
        let fields = try self.credentials(site).compactMap { name, value in value.map { (name, $0) } }
        let rest = [(name: "grant_type", value: "refresh_token"), ("refresh_token", token), ("token", token)]
        let reply = try await site.post(path, fields + rest)
        expectTokenError(reply, "invalid_client", status: .unauthorized)
      }
      #expect(self.fetches == 2)
      // A publisher's mistake does not revoke the user's grants.
      #expect(try site.fixture.revocations().isEmpty)
      self.transport.on(Self.id, respond: Self.document(Self.key))
      // The first of the arguments is a valid document, so the server caches it for an hour.
      site.fixture.clock.advance(by: .seconds(3601))
      #expect(try await self.refresh(site, token).status == .ok)
    }
  }

  @Test("the withdrawal of a document is stored, and applies even while its publisher cannot be reached")
  func withdrawnElsewhere() async throws {
    self.transport.on(Self.id, respond: Self.document())
    try await withSite(transport: self.transport) { site in
      _ = try await site.code(self.request)
      site.fixture.clock.advance(by: .seconds(3601))
      self.transport.on(Self.id, respond: .json("", status: .notFound))
      expectTokenError(try await site.post("/par", self.request.list), "invalid_client", status: .unauthorized)
      #expect(try await site.client(Self.id)?.details.documentExpiresAt == nil)
      self.transport.on(Self.id, fail: .timedOut)
      site.fixture.clock.advance(by: .seconds(61))
      expectTokenError(try await site.post("/par", self.request.list), "invalid_client", status: .unauthorized)
      #expect(self.fetches == 3)
    }
  }

  @Test("while the publisher cannot be reached, the client can authenticate for at most another day, and its grants remain")
  func unreachable() async throws {
    self.transport.on(Self.id, respond: Self.document(Self.key))
    try await withSite(transport: self.transport) { site in
      let code = try await site.code(self.request)
      var token = try Tokens(try await site.redeem(code, changing: try self.credentials(site))).refresh
      self.transport.on(Self.id, fail: .timedOut)
      // The document expires after an hour, and can be used for 86,400 more seconds.
      for seconds in [3601, 86_398] {
        site.fixture.clock.advance(by: .seconds(seconds))
        token = try Tokens(try await self.refresh(site, token)).refresh
      }
      site.fixture.clock.advance(by: .seconds(2))
      expectTokenError(try await self.refresh(site, token), "invalid_client", status: .unauthorized)
      self.transport.on(Self.id, respond: Self.document(Self.key))
      site.fixture.clock.advance(by: .seconds(61))
      #expect(try await self.refresh(site, token).status == .ok)
    }
  }

  @Test("a document client may begin with a pushed request or a device authorization request", arguments: [true, false])
  func begins(byPushing: Bool) async throws {
    self.transport.on(Self.id, respond: Self.document())
    try await withSite(transport: self.transport, configure: { $0.registration.allowsDeviceGrant = true }) { site in
      for _ in 0..<3 {
        if byPushing {
          #expect(try await site.post("/par", self.request.list).status == .created)
        } else {
          let reply = try await site.post("/device_authorization", [("client_id", Self.id), ("scope", "openid")])
          #expect(reply.status == .ok)
        }
      }
      #expect(self.fetches == 1)
    }
  }

  @Test("for unknown clients, all endpoints together use at most half of the fetch quota")
  func quota() async throws {
    let urls = (1...4).map { "https://editor.example/\($0)" }
    for url in urls { self.transport.on(url, respond: Self.document(at: url)) }
    try await withSite(transport: self.transport, configure: { $0.registration.perMinute = 4 }) { site in
      for (url, path) in zip(urls, ["/token", "/par", "/device_authorization", "/revoke"]) {
        _ = try await site.post(path, [("client_id", url), ("grant_type", "refresh_token"), ("token", "x")])
      }
      expectErrorPage(try await TestBrowser(site).authorize(self.request))
      #expect(self.transport.requests.count == 2)
    }
  }
}
