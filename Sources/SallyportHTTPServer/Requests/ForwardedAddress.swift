package import Hummingbird

/// Sets a request's address to the client address that a trusted proxy reports.
package struct ForwardedAddress: RouterMiddleware {
  private let proxies: TrustedProxies

  package init(proxies: TrustedProxies) {
    self.proxies = proxies
  }

  package func handle(
    _ request: Request, context: ServerRequestContext, next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let peer = context.peer else { return try await next(request, context) }
    var context = context
    context.remoteAddress = RemoteAddress(self.proxies.client(of: peer, request.headers))
    return try await next(request, context)
  }
}
