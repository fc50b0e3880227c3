package import Hummingbird
import Metrics

/// Counts and times requests by route template.
///
/// Add this middleware before the middleware that converts errors to responses, so that error responses count too.
/// Hummingbird's own metrics middleware is not used, because it records every method that a client sends, so a client
/// could create any number of series.
package struct RequestMetrics<Context: RequestContext>: RouterMiddleware {
  private let metrics: ServerMetrics
  private let routes: RouteTable

  package init(metrics: ServerMetrics, routes: RouteTable) {
    self.metrics = metrics
    self.routes = routes
  }

  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
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
