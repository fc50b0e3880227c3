import HTTPTypes
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Protected resource metadata", .timeLimit(.minutes(1)))
struct ResourceDiscoveryTests {
  private static let api = "https://api.example/mcp"
  private static let wellKnown = "https://api.example/.well-known/oauth-protected-resource"
  private let transport = FakeTransport()

  /// Makes the API return this challenge.
  private func challenge(_ value: String, status: HTTPResponse.Status = .unauthorized) {
    self.transport.on(Self.api, respond: .body([], type: nil, status: status, headers: [.wwwAuthenticate: value]))
  }

  /// Publishes metadata at a URL.
  /// - Parameter more: Further members of the metadata.
  private func document(
    at url: String, resource: String = api, servers: [String] = ["https://id.example"], more: [String: JSONValue] = [:]
  ) {
    var members: [String: JSONValue] = [
      "resource": .string(resource), "authorization_servers": .array(servers.map { .string($0) }),
    ]
    members.merge(more) { _, new in new }
    self.transport.on(url, respond: .json(encoding: JSONValue.object(members)))
  }

  private func discover(_ url: String = api) async throws -> ProtectedResource {
    try await ResourceDiscovery(transport: self.transport).metadata(of: EndpointURL(url))
  }

  @Test("the API's challenge (RFC 9728 §5.1) names the scope and the metadata's URL, and the metadata names the server")
  func challenged() async throws {
    self.challenge(#"Basic realm="x", Bearer resource_metadata="https://api.example/meta", scope="mcp:read""#)
    self.document(at: "https://api.example/meta", more: ["scopes_supported": ["a", "b"]])
    let found = try await self.discover()
    #expect(found.resource.value == Self.api)
    #expect(found.authorizationServers.map(\.value) == ["https://id.example"])
    #expect(found.scope == "mcp:read")
    #expect(self.transport.requests.allSatisfy { $0.head.headerFields[.authorization] == nil && $0.head.method == .get })
  }

  @Test("RFC 9728 §3.1: if no challenge names the metadata, the well-known URLs of the path and then of the origin are tried")
  func wellKnown() async throws {
    self.document(at: "\(Self.wellKnown)/mcp", more: ["scopes_supported": ["a", "b"]])
    #expect(try await self.discover().scope == "a b")
    // A second instance of the suite, because each instance has a transport of its own.
    let other = ResourceDiscoveryTests()
    other.challenge("Bearer")
    other.document(at: Self.wellKnown, resource: "https://api.example")
    #expect(try await other.discover().resource.value == "https://api.example")
    #expect(other.transport.requests.map(\.url) == [Self.api, "\(Self.wellKnown)/mcp", Self.wellKnown])
  }

  @Test(
    "RFC 9728 §3.3: metadata of another resource is rejected",
    arguments: [
      "https://api.example", "https://api.example/", "https://api.example/mcp/", "https://API.example/mcp",
      "https://evil.example/mcp",
      "https://api.example/mcp?x", "https://api.example:443/mcp", "http://api.example/mcp", "",
    ])
  func otherResource(resource: String) async throws {
    self.challenge(#"Bearer resource_metadata="https://api.example/meta""#)
    self.document(at: "https://api.example/meta", resource: resource)
    await #expect(throws: ResourceDiscoveryError.resourceMismatch(found: resource)) { try await self.discover() }
  }

  @Test("RFC 9728 §3.3: metadata at the well-known URL of the origin must be for the origin, and not for a path")
  func rootNamesPath() async throws {
    self.document(at: Self.wellKnown, resource: Self.api)
    await #expect(throws: ResourceDiscoveryError.resourceMismatch(found: Self.api)) { try await self.discover() }
  }

  @Test(
    "C-23: the API cannot direct the client to services on this machine or network, or to plain http",
    arguments: [
      "http://api.example/meta", "http://127.0.0.1:2375/containers", "https://127.0.0.1/", "https://localhost/", "https://[::1]/",
      "https://10.0.0.1/", "https://169.254.169.254/latest/meta-data", "https://0x7f.1/", "file:///etc/passwd", "javascript:1",
      "/meta",
      "https://a@api.example/", "",
    ])
  func forgedAddress(url: String) async throws {
    self.challenge("Bearer resource_metadata=\"\(url)\"")
    await #expect(throws: ResourceDiscoveryError.metadataURLNotAllowed) { try await self.discover() }
    #expect(self.transport.requests.map(\.url) == [Self.api])
  }

  @Test("C-23: servers that are not allowed are omitted, and if none is left, discovery fails")
  func servers() async throws {
    self.document(
      at: "\(Self.wellKnown)/mcp",
      servers: [
        "http://id.example", "http://127.0.0.1:9", "https://192.168.0.1", "nonsense", "https://id.example", "https://two.example",
      ])
    #expect(try await self.discover().authorizationServers.map(\.value) == ["https://id.example", "https://two.example"])
    self.document(at: "\(Self.wellKnown)/mcp", servers: ["http://127.0.0.1:9"])
    await #expect(throws: ResourceDiscoveryError.authorizationServersNotAllowed) { try await self.discover() }
    self.document(at: "\(Self.wellKnown)/mcp", servers: [])
    await #expect(throws: ResourceDiscoveryError.noAuthorizationServer) { try await self.discover() }
  }

  @Test("RFC 9728 §2: an API that does not accept tokens in the Authorization header is rejected")
  func bearerMethods() async throws {
    self.document(at: "\(Self.wellKnown)/mcp", more: ["bearer_methods_supported": ["query"]])
    await #expect(throws: ResourceDiscoveryError.headerNotSupported) { try await self.discover() }
  }

  @Test(
    "C-23: error responses, redirects, and malformed documents are rejected",
    arguments: [
      (TransportResponse.text("no", status: .internalServerError), JSONDocumentError.status(500)),
      (.redirect(to: "http://127.0.0.1/"), .redirected), (.json("{"), .malformed), (.json(#"{"resource":1}"#), .malformed),
      (.json(#"{"resource":"https://api.example/mcp","authorization_servers":"https://id.example"}"#), .malformed),
      (.body(Array("<html>".utf8), type: "text/html"), .notJSON),
    ])
  func broken(response: TransportResponse, error: JSONDocumentError) async throws {
    self.challenge(#"Bearer resource_metadata="https://api.example/meta""#)
    self.transport.on("https://api.example/meta", respond: response)
    await #expect(throws: ResourceDiscoveryError.document(error)) { try await self.discover() }
  }

  @Test("discovery ignores an API response that is too long or never ends, and reports an unreachable API")
  func probe() async throws {
    self.document(at: "\(Self.wellKnown)/mcp")
    for error in [TransportError.timedOut, .bodyTooLarge] {
      self.transport.on(Self.api, fail: error)
      #expect(try await self.discover().authorizationServers.count == 1)
    }
    #expect(self.transport.requests(to: Self.api).allSatisfy { $0.limits.maximumBodySize <= 64 << 10 })
    self.transport.on(Self.api, fail: .unreachable(reason: "refused"))
    await #expect(throws: ResourceDiscoveryError.network(.unreachable(reason: "refused"))) { try await self.discover() }
  }

  @Test(
    "RFC 9728 §5.1: a challenge with status 403, with the Basic scheme, or with an unterminated string is ignored",
    arguments: [
      (#"Bearer resource_metadata="https://evil.example/meta""#, 403),
      (#"Bearer resource_metadata="https://evil.example/meta"#, 401),
      (#"Basic resource_metadata="https://evil.example/meta""#, 401),
    ])
  func otherChallenges(value: String, status: Int) async throws {
    self.challenge(value, status: HTTPResponse.Status(code: status))
    self.document(at: "\(Self.wellKnown)/mcp")
    _ = try await self.discover()
    #expect(self.transport.requests(to: "https://evil.example/meta").isEmpty)
  }
}
