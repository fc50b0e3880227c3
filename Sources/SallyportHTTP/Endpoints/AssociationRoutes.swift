import HTTPTypes
import Hummingbird
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The association files for Apple platforms and Android, at the root of the issuer's host (rule S-16).
struct AssociationRoutes: Sendable {
  private let cache: AssociationFileCache

  init(server: AuthorizationServer) {
    self.cache = AssociationFileCache(store: server.store, configuration: server.configuration)
  }

  func add(to router: Router<ServerRequestContext>) {
    router.get("/.well-known/apple-app-site-association") { _, _ -> Response in
      guard let file = try await self.cache.files().apple else { throw HTTPError(.notFound) }
      return try Response.json(file, headers: Self.headers)
    }
    router.get("/.well-known/assetlinks.json") { _, _ -> Response in
      guard let file = try await self.cache.files().android else { throw HTTPError(.notFound) }
      return try Response.json(file, headers: Self.headers)
    }
  }

  private static var headers: HTTPFields { [.cacheControl: "public, max-age=300"] }
}
