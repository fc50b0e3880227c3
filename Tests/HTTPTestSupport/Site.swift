package import HTTPTypes
import Hummingbird
package import HummingbirdTesting
package import Logging
import NIOCore
package import SallyportHTTP
package import SallyportHTTPServer
package import SallyportObservability
package import SallyportProtocol
package import SallyportRemote
package import SallyportServer
package import ServerTestSupport
package import Testing

/// An authorization server with all its routes, to which tests send requests in memory.
package struct Site: Sendable {
  package let fixture: TestServer
  package let http: any TestClientProtocol
  /// The IP address from which requests come; nil if the connection has no IP address.
  package var peerAddress: String?

  package init(fixture: TestServer, http: any TestClientProtocol) {
    self.fixture = fixture
    self.http = http
  }

  package var issuer: Issuer { self.fixture.server.configuration.issuer }

  package func send(
    _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields = [:], body: [UInt8]? = nil
  ) async throws -> Reply {
    var headers = headers
    if let peerAddress { headers[.testPeer] = peerAddress }
    return Reply(
      try await self.http.execute(uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) }))
  }

  /// Returns the same site for requests from the IP address `peerAddress`.
  package func from(_ peerAddress: String) -> Site {
    var site = self
    site.peerAddress = peerAddress
    return site
  }

  /// Posts a form to an endpoint that clients call.
  package func post(
    _ path: String, _ fields: [(name: String, value: String)], authorization: String? = nil
  ) async throws -> Reply {
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    headers[.authorization] = authorization
    return try await self.send(.post, path, headers: headers, body: Array(FormParameters.encode(fields).utf8))
  }

  /// Runs `body`, and expects that each table of ``TestServer/rows()`` has the same number of rows before and after.
  /// - Parameter table: A table that may change.
  package func expectingSameRowCounts(
    except table: String? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async throws {
    let before = try self.fixture.rows().filter { $0.key != table }
    try await body()
    let after = try self.fixture.rows().filter { $0.key != table }
    #expect(after == before, sourceLocation: sourceLocation)
  }
}

/// Runs `body` on a new server. For `transport` and `operatorTransport`, see ``TestServer``.
package func withSite(
  issuer: String = "https://id.example", proxies: [AddressRange] = [], hasher: TestPasswordHasher = TestPasswordHasher(),
  transport: (any Transport)? = nil, operatorTransport: (any Transport)? = nil, logger: Logger? = nil,
  metrics: ServerMetrics = ServerMetrics(),
  tracing: ServerTracing = .off,
  configure: @Sendable (inout SallyportServer.ServerConfiguration) -> Void = { _ in },
  _ body: @Sendable (Site) async throws -> Void
) async throws {
  let fixture = try await TestServer(
    issuer: issuer, hasher: hasher, transport: transport, operatorTransport: operatorTransport, configure: configure)
  // Tests send many failing requests from one address. With 0, their responses are not delayed.
  let router = AuthorizationServerRouter(
    server: fixture.server, proxies: TrustedProxies(proxies), metrics: metrics, tracing: tracing, failuresPerSecond: 0)
  try await withSite(fixture, router, logger: logger, body)
}

/// Runs `body` with a router of an existing server.
package func withSite(
  _ fixture: TestServer, _ router: AuthorizationServerRouter, logger: Logger? = nil, _ body: @Sendable (Site) async throws -> Void
) async throws {
  var quiet = Logger(label: "test")
  quiet.logLevel = .critical
  let application = Application(responder: PeerResponder(base: router.build().buildResponder()), logger: logger ?? quiet)
  try await application.test(.router) { http in try await body(Site(fixture: fixture, http: http)) }
}
