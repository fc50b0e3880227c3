import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// A kind of request that one address sends in large numbers. In the cases with `documents`, the client ID is a URL
/// from which the server fetches the client's metadata.
enum Flood: String, CaseIterable, Sendable {
  case pushedRequests, deviceCodes, registrations, documents, documentsAtTokenEndpoint, passwords

  /// Sends one request for each number.
  /// - Returns: The status codes.
  func run(on site: Site, _ numbers: Range<Int>) async throws -> Set<HTTPResponse.Status> {
    var statuses: Set<HTTPResponse.Status> = []
    for number in numbers { statuses.insert(try await self.send(number, to: site).status) }
    return statuses
  }

  private func send(_ number: Int, to site: Site) async throws -> Reply {
    let document = "https://host-\(number).example/client.json"
    switch self {
    case .pushedRequests: return try await site.post("/par", AuthorizeParameters().list)
    case .deviceCodes: return try await site.post("/device_authorization", [("client_id", "loopback")])
    case .registrations: return try await site.register(Site.mcpClient)
    case .documents: return try await TestBrowser(site).authorize(AuthorizeParameters().with("client_id", document))
    case .documentsAtTokenEndpoint:
      return try await site.post("/token", [("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", document)])
    case .passwords:
      let browser = TestBrowser(site)
      return try await browser.signIn(try await browser.authorize(AuthorizeParameters()), as: "user-\(number)", password: "wrong")
    }
  }
}

@Suite("Availability", .timeLimit(.minutes(3)))
struct AvailabilityTests {
  private static let document = "https://editor.example/client.json"

  /// Runs `body` on a server with quotas of 100 per minute. The only client ID document that can be fetched is at
  /// ``document``.
  private func withLimitedSite(_ body: @Sendable (Site) async throws -> Void) async throws {
    let transport = FakeTransport()
    let document: JSONValue = [
      "client_id": .string(Self.document), "client_name": "Editor", "redirect_uris": ["http://127.0.0.1/cb"],
    ]
    transport.on(Self.document, respond: .json(encoding: document))
    try await withSite(
      transport: transport,
      configure: { configuration in
        configuration.requestsPerMinute = 100
        configuration.registration.perMinute = 100
      }
    ) { site in
      var client = try TestClient.loopback.record
      client.grantTypes.append(.deviceCode)
      try await site.add(client)
      try await body(site)
    }
  }

  @Test("S-42: while one address floods an endpoint, requests from another address are not rejected", arguments: Flood.allCases)
  func flood(_ flood: Flood) async throws {
    try await self.withLimitedSite { site in
      let statuses = try await flood.run(on: site.from("192.0.2.66"), 0..<120)
      // The flood itself must be limited, or the test shows nothing. If the quota for documents is used up, a request
      // gets an error other than 429.
      #expect(flood == .documents || flood == .documentsAtTokenEndpoint || statuses.contains(.tooManyRequests))
      try await self.runFlows(on: site.from("198.51.100.7"))
    }
  }

  /// Runs the flows that a new app needs.
  private func runFlows(on site: Site) async throws {
    let pushed = try await site.post("/par", AuthorizeParameters().list)
    #expect(pushed.status == .created)
    let uri = try #require(pushed.json["request_uri"])
    let browser = TestBrowser(site)
    let page = try await browser.open("/authorize?" + FormParameters.encode([("client_id", "loopback"), ("request_uri", uri)]))
    let response = try await browser.decide(try await browser.signIn(page), "allow")
    let tokens = try Tokens(try await site.redeem(try #require(response.parameters["code"])))
    #expect(try await site.refresh(tokens.refresh).status == .ok)
    #expect(try await site.post("/device_authorization", [("client_id", "loopback")]).status == .ok)

    let registered = try await site.register(Site.mcpClient).registration.clientID
    for client in [registered, Self.document] {
      let code = try await site.code(AuthorizeParameters().with("client_id", client))
      #expect(try await site.redeem(code, changing: ["client_id": client]).status == .ok)
    }
  }

  @Test("S-42: an address beyond its share of the quota gets 429 with Retry-After, and another address does not")
  func share() async throws {
    try await self.withLimitedSite { site in
      let (flooder, other) = (site.from("192.0.2.66"), site.from("198.51.100.7"))
      for path in ["/par", "/device_authorization"] {
        var replies: [Reply] = []
        for _ in 0..<9 { replies.append(try await flooder.post(path, AuthorizeParameters().list)) }
        // An address gets 5% of the 100 requests per minute, and at most three of these five at once.
        #expect(replies.filter { $0.status != .tooManyRequests }.count == 3)
        let rejected = try #require(replies.last)
        expectTokenError(rejected, "temporarily_unavailable", status: .tooManyRequests)
        #expect(rejected.headers[.retryAfter] == "60")
        #expect(try await other.post(path, AuthorizeParameters().list).status != .tooManyRequests)
      }
    }
  }

  @Test("S-42: an address gets no larger share by registering more clients, public or confidential")
  func manyClients() async throws {
    try await self.withLimitedSite { site in
      let (flooder, other) = (site.from("192.0.2.66"), site.from("198.51.100.7"))
      var accepted = 0
      for method in ["none", "client_secret_post"] {
        var metadata = Site.mcpClient
        metadata["token_endpoint_auth_method"] = .string(method)
        let client = try await flooder.register(metadata).registration
        for _ in 0..<5 {
          var request = AuthorizeParameters().with("client_id", client.clientID)
          if let secret = client.clientSecret { request = request.with("client_secret", secret.reveal()) }
          accepted += try await flooder.post("/par", request.list).status == .created ? 1 : 0
        }
      }
      #expect(accepted == 3)
      let client = try await other.register(Site.mcpClient).registration.clientID
      #expect(try await other.post("/par", AuthorizeParameters().with("client_id", client).list).status == .created)
    }
  }

  @Test("S-42: a flood from many addresses leaves half of the document fetches to clients that have obtained a grant")
  func renewal() async throws {
    try await self.withLimitedSite { site in
      let request = AuthorizeParameters().with("client_id", Self.document)
      // A client counts as having obtained a grant only if the grant is later than the client's creation.
      _ = try await TestBrowser(site).authorize(request)
      site.fixture.clock.advance(by: .seconds(1))
      _ = try await site.code(request)
      // The document's cache lifetime has passed, so the server must fetch the document again.
      site.fixture.clock.advance(by: .seconds(2 * 86_400))
      // Each of 40 addresses requests five documents: twice the quota of 100.
      for number in 1...40 {
        _ = try await Flood.documents.run(on: site.from("192.0.2.\(number)"), number * 5..<number * 5 + 5)
      }
      let code = try await site.from("198.51.100.7").code(request)
      #expect(try await site.redeem(code, changing: ["client_id": Self.document]).status == .ok)
    }
  }

  @Test("S-42: an address beyond its share does not prevent the fetch of the same document for another address")
  func rejectionIsNotRemembered() async throws {
    try await self.withLimitedSite { site in
      let request = AuthorizeParameters().with("client_id", Self.document)
      let flooder = site.from("192.0.2.66")
      _ = try await Flood.documents.run(on: flooder, 0..<20)
      expectErrorPage(try await TestBrowser(flooder).authorize(request))
      #expect(try await TestBrowser(site.from("198.51.100.7")).authorize(request).isSignInPage)
    }
  }
}
