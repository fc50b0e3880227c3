import Hummingbird
import SallyportHTTPServer

/// Completes every response of the router: renders errors that no route has handled, adds the security headers and the
/// request's identifier, and logs the request.
///
/// All of this is one middleware, because each middleware adds work to every request.
struct ResponseMiddleware: RouterMiddleware {
  let render: Renderer
  let headers: SecurityHeaders

  func handle(
    _ request: Request, context: ServerRequestContext, next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    var response: Response
    do {
      guard Self.isCanonical(request.uri.path) else { throw HTTPError(.notFound) }
      response = try await next(request, context)
    } catch { response = self.render.errorResponse(error, context) }
    self.headers.add(to: &response)
    RequestLog.note(request, &response, context, since: start)
    return response
  }

  /// Whether a path has no empty segments.
  ///
  /// The router ignores empty segments. Without this check, a request for `//register` would reach the route of
  /// `/register`, even if a proxy blocks requests for `/register`.
  static func isCanonical(_ path: String) -> Bool {
    var previous: UInt8 = 0
    for byte in path.utf8 {
      if byte == UInt8(ascii: "/"), previous == byte { return false }
      previous = byte
    }
    return previous != UInt8(ascii: "/") || path.utf8.count == 1
  }
}
