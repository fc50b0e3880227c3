import HTTPTypes
import Hummingbird
import SallyportProtocol
import SallyportServer

/// What the server publishes: its metadata, its keys, its style sheet.
struct DocumentRoutes<S: Store>: Sendable {
  let server: AuthorizationServer<S>
  private let metadata: ByteBuffer?

  init(server: AuthorizationServer<S>) {
    self.server = server
    self.metadata = (try? WireJSON.encode(server.configuration.metadata)).map { ByteBuffer(bytes: $0) }
  }

  func add(to router: Router<BasicRequestContext>) {
    let path = self.server.configuration.issuer.path
    router.addCrossOrigin(path + WellKnown.openIDConfigurationPath, methods: [.get], use: self.serveMetadata)
    router.addCrossOrigin(WellKnown.oauthAuthorizationServerPath + path, methods: [.get], use: self.serveMetadata)
    router.addCrossOrigin(path + EndpointPath.jwks, methods: [.get], use: self.serveKeys)
    router.get(RouterPath(path + Pages.styleSheetPath), use: self.serveStyleSheet)
  }

  @Sendable func serveMetadata(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    guard let metadata else { throw HTTPError(.internalServerError) }
    return Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=300"],
      body: .init(byteBuffer: metadata))
  }

  /// RFC 7517 §5.
  @Sendable func serveKeys(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    let lifetime = self.server.configuration.lifetimes.jwksCache.components.seconds
    let keys = try await self.server.cache.keyRing().document
    return Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=\(lifetime)"],
      body: .init(byteBuffer: ByteBuffer(bytes: keys)))
  }

  /// Its path changes with its content, so it may be kept for ever.
  @Sendable func serveStyleSheet(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    Response(
      status: .ok,
      headers: [.contentType: "text/css; charset=utf-8", .cacheControl: "public, max-age=31536000, immutable"],
      body: .init(byteBuffer: ByteBuffer(bytes: Pages.styleSheet)))
  }
}
