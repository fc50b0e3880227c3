import HTTPTypes
import Hummingbird
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The documents that the server publishes: its metadata, its keys, and the style sheet, icon, and logo of its pages.
struct DocumentRoutes: Sendable {
  let server: AuthorizationServer
  private let metadata: ByteBuffer?
  private let assets: [Asset]

  /// - Parameter assets: The files that pages refer to.
  init(server: AuthorizationServer, assets: [Asset]) {
    self.server = server
    self.assets = assets
    self.metadata = (try? WireJSON.encode(server.metadata)).map { ByteBuffer(bytes: $0) }
  }

  func add(to router: Router<ServerRequestContext>) {
    let path = self.server.configuration.issuer.path
    router.addCrossOrigin(path + WellKnown.openIDConfigurationPath, methods: [.get], use: self.serveMetadata)
    router.addCrossOrigin(WellKnown.oauthAuthorizationServerPath + path, methods: [.get], use: self.serveMetadata)
    router.addCrossOrigin(path + EndpointPath.jwks, methods: [.get], use: self.serveKeys)
    for asset in self.assets {
      router.get(RouterPath(path + asset.path)) { _, _ in Self.file(asset, cacheControl: "public, max-age=31536000, immutable") }
    }
    // Browsers request this path for documents that name no icon, such as JSON.
    router.get("/favicon.ico") { _, _ in Self.file(.icon, cacheControl: "public, max-age=86400") }
  }

  @Sendable func serveMetadata(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    guard let metadata else { throw HTTPError(.internalServerError) }
    return Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=300"],
      body: .init(byteBuffer: metadata))
  }

  /// Serves the JWK Set (RFC 7517 §5). While the store is unavailable, the server uses the keys that it read last.
  @Sendable func serveKeys(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    let lifetime = self.server.configuration.lifetimes.jwksCache.components.seconds
    let keys = try await self.server.cache.publishedKeys()
    return Response(
      status: .ok, headers: [.contentType: "application/json", .cacheControl: "public, max-age=\(lifetime)"],
      body: .init(byteBuffer: ByteBuffer(bytes: keys)))
  }

  private static func file(_ asset: Asset, cacheControl: String) -> Response {
    var headers: HTTPFields = [.contentType: asset.contentType, .cacheControl: cacheControl]
    // An SVG image can contain scripts, which a browser would run if a user opened the image directly.
    if asset.contentType == "image/svg+xml" { headers[.contentSecurityPolicy] = BrandLogo.contentSecurityPolicy }
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: asset.bytes)))
  }
}
