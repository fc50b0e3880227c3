import Hummingbird
import SallyportServer

/// Reads from a proxy's own words where a request comes from.
struct ForwardedAddress: RouterMiddleware {
  let proxies: TrustedProxies

  func handle(
    _ request: Request, context: ServerRequestContext, next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let peer = context.peer else { return try await next(request, context) }
    var context = context
    context.address = ClientAddress(self.proxies.client(of: peer, request.headers))
    return try await next(request, context)
  }
}
