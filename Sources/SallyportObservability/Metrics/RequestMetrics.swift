package import HTTPTypes
import Metrics

/// Counts and times requests by route template.
///
/// Hummingbird's own metrics middleware is not used, because it records every method that a client sends, so a client
/// could create any number of series.
package struct RequestMetrics: Sendable {
  private let metrics: ServerMetrics
  private let routes: RouteTable

  package init(metrics: ServerMetrics, routes: RouteTable) {
    self.metrics = metrics
    self.routes = routes
  }

  /// Counts a request as being in progress. Call ``end(_:route:status:since:)`` for each request that began.
  package func begin() { self.metrics.requestsInFlight.increment() }

  /// Records a request that has ended.
  /// - Parameters:
  ///   - route: The template of the route; nil if no route matches the request.
  ///   - start: The time at which the request began.
  package func end(
    _ method: HTTPRequest.Method, route: String?, status: HTTPResponse.Status, since start: ContinuousClock.Instant
  ) {
    self.metrics.requestsInFlight.decrement()
    self.routes[route].record(method, Int(status.code), in: start.duration(to: .now))
  }
}
