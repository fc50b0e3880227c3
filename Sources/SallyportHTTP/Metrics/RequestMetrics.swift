import Hummingbird
import Metrics

/// Counts and times requests by their route's template. It stands before ``EveryAnswer``, so refusals come here as answers and count too.
///
/// Hummingbird's own middleware takes the method as it comes, which is any word that a stranger likes, and every status code.
struct RequestMetrics: RouterMiddleware {
  let metrics: ServerMetrics
  let routes: RouteTable

  func handle(
    _ request: Request, context: ServerRequestContext, next: @concurrent (Request, ServerRequestContext) async throws -> Response
  ) async throws -> Response {
    let started = ContinuousClock.now
    self.metrics.requestsInFlight.increment()
    var status = 500
    defer {
      self.metrics.requestsInFlight.decrement()
      self.routes[context.endpointPath].record(request.method, status, in: started.duration(to: .now))
    }
    let response = try await next(request, context)
    status = Int(response.status.code)
    return response
  }
}
