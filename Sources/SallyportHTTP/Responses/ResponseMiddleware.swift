import Hummingbird
import SallyportHTTPServer
import SallyportObservability
import SallyportServer

/// Completes every response of the router: renders errors that no route has handled, adds the security headers and the
/// request's identifier, logs and counts the request, and delays responses to addresses whose requests keep failing. It
/// also limits how long a request waits for the store.
///
/// All of this is one middleware, because each middleware adds work to every request.
struct ResponseMiddleware: RouterMiddleware {
  let render: Renderer
  let headers: SecurityHeaders
  let metrics: RequestMetrics?
  let pacing: FailurePacing?

  func handle(
    _ request: Request, context: ServerRequestContext, next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    self.metrics?.begin()
    var response: Response
    do {
      guard Self.isCanonical(request.uri.path) else { throw HTTPError(.notFound) }
      response = try await StoreTime.$current.withValue(StoreTime(Self.storeTime)) { try await next(request, context) }
    } catch { response = await self.render.errorResponse(error, request, context) }
    self.headers.add(to: &response)
    RequestLog.note(request, &response, context, since: start)
    self.metrics?.end(request.method, route: context.endpointPath, status: response.status, since: start)
    // The delay comes after the metrics, so that it does not count as part of the request's duration.
    if let delay = self.pacing?.delay(of: response, context) { await self.pacing?.wait(delay) }
    return response
  }

  /// How long a request may wait for the store. A client then usually has a response within two seconds.
  private static var storeTime: Duration { .milliseconds(1_800) }

  /// Whether a path has no empty segments. A trailing slash counts as an empty segment, except in the path `/`.
  ///
  /// The router ignores empty segments. Without this check, a request for `//register` would reach the route of
  /// `/register`, even if a proxy blocks requests for `/register`.
  static func isCanonical(_ path: String) -> Bool {
    let slash = UInt8(ascii: "/")
    var path = path
    return path.withUTF8 { bytes in
      (bytes.count == 1 || bytes.last != slash) && !zip(bytes, bytes.dropFirst()).contains { $0 == slash && $1 == slash }
    }
  }
}
