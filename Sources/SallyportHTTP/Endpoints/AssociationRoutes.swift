import HTTPTypes
import Hummingbird
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// Serves files at the root of the issuer's host: the association files for Apple platforms and Android (rule S-16),
/// and the list of other origins that may use the passkeys.
struct AssociationRoutes: Sendable {
  private let cache: AssociationFileCache
  /// Other origins that may use the passkeys (Web Authentication Level 3 §5.11.1). Empty if passkeys cannot be used.
  private let relatedOrigins: [String]

  init(server: AuthorizationServer) {
    self.cache = AssociationFileCache(store: server.store, configuration: server.configuration)
    let configuration = server.configuration
    self.relatedOrigins = configuration.relyingParty == nil ? [] : configuration.passkeys?.relatedOrigins ?? []
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
    router.get("/.well-known/webauthn") { _, _ -> Response in
      guard !self.relatedOrigins.isEmpty else { throw HTTPError(.notFound) }
      return try Response.json(["origins": self.relatedOrigins], headers: Self.headers)
    }
  }

  private static var headers: HTTPFields { [.cacheControl: "public, max-age=300"] }
}
