package import HTTPTypes
import Hummingbird
package import HummingbirdTesting
import Logging
import NIOCore
package import SallyportHTTP
package import SallyportProtocol
package import SallyportRemote
package import SallyportServer
package import ServerTestSupport
package import Testing

/// A server with all its routes, reached in memory.
package struct Site: Sendable {
  package let fixture: TestServer
  package let http: any TestClientProtocol

  package var issuer: Issuer { self.fixture.server.configuration.issuer }

  package func send(
    _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields = [:], body: [UInt8]? = nil
  ) async throws -> Reply {
    Reply(try await self.http.execute(uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) }))
  }

  /// A post to the token endpoint or another that takes forms of clients.
  package func post(
    _ path: String, _ fields: [(name: String, value: String)], authorization: String? = nil
  ) async throws -> Reply {
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    headers[.authorization] = authorization
    return try await self.send(.post, path, headers: headers, body: Array(FormParameters.encode(fields).utf8))
  }

  /// Runs `body` and expects that the store has as many rows after as before.
  package func leavingNothingBehind(sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void)
    async throws
  {
    let before = try self.fixture.rows()
    try await body()
    #expect(try self.fixture.rows() == before, sourceLocation: sourceLocation)
  }
}

/// Runs `body` on a new server.
package func withSite(
  issuer: String = "https://id.example", hasher: TestPasswordHasher = TestPasswordHasher(), transport: (any Transport)? = nil,
  metrics: ServerMetrics = ServerMetrics(), tracing: ServerTracing = .off,
  configure: @Sendable (inout ServerConfiguration) -> Void = { _ in }, _ body: @Sendable (Site) async throws -> Void
) async throws {
  let fixture = try await TestServer(issuer: issuer, hasher: hasher, transport: transport, configure: configure)
  var logger = Logger(label: "test")
  logger.logLevel = .critical
  let router = try AuthorizationServerRouter(server: fixture.server, metrics: metrics, tracing: tracing)
  let application = Application(router: router.build(), logger: logger)
  try await application.test(.router) { http in try await body(Site(fixture: fixture, http: http)) }
}
