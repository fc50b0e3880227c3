import HTTPTypes
package import Metrics
import Synchronization

/// The instruments of one route: a timer, and counters of requests. The counter for a method and a status class is
/// created with the first request that has this method and status class. Later requests find the counter without a
/// lock.
final class RouteMetrics: Sendable {
  /// A class, because an array cannot contain the noncopyable `AtomicLazyReference`.
  private final class Slot: Sendable {
    let counter = AtomicLazyReference<Counter>()
  }

  private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
  private static let classes = 1...5

  private let route: String
  private let factory: any MetricsFactory
  private let duration: Timer
  /// One slot for each pair of method and status class. All unknown methods share one set of slots.
  private let slots: [Slot]

  init(_ route: String, _ factory: any MetricsFactory) {
    self.route = route
    self.factory = factory
    self.duration = Timer(label: ServerMetric.requestDuration.rawValue, dimensions: [("route", route)], factory: factory)
    self.slots = (0..<(Self.methods.count + 1) * Self.classes.count).map { _ in Slot() }
  }

  func record(_ method: HTTPRequest.Method, _ status: Int, in duration: Duration) {
    let methodIndex = Self.methods.firstIndex(of: method) ?? Self.methods.count
    let statusClass = min(max(status / 100, Self.classes.lowerBound), Self.classes.upperBound)
    let slot = self.slots[methodIndex * Self.classes.count + statusClass - Self.classes.lowerBound]
    let counter = slot.counter.load() ?? slot.counter.storeIfNil(self.counter(methodIndex, statusClass))
    counter.increment()
    self.duration.record(duration: duration)
  }

  private func counter(_ methodIndex: Int, _ statusClass: Int) -> Counter {
    let method = methodIndex < Self.methods.count ? Self.methods[methodIndex].rawValue : "other"
    return Counter(
      label: ServerMetric.requests.rawValue,
      dimensions: [("route", self.route), ("method", method), ("status", "\(statusClass)xx")], factory: self.factory)
  }
}

/// The instruments of all routes by template.
package final class RouteTable: Sendable {
  private final class Entries: Sendable {
    let routes: [String: RouteMetrics]

    init(_ routes: [String: RouteMetrics]) { self.routes = routes }
  }

  private let entries = AtomicLazyReference<Entries>()
  private let factory: any MetricsFactory
  /// The instruments for requests that match no route.
  private let unknown: RouteMetrics

  package init(_ factory: any MetricsFactory) {
    self.factory = factory
    self.unknown = RouteMetrics("none", factory)
  }

  /// Adds all routes. Only the first call has an effect.
  package func add(_ templates: some Sequence<String>) {
    let routes = Dictionary(templates.map { ($0, RouteMetrics($0, self.factory)) }) { first, _ in first }
    _ = self.entries.storeIfNil(Entries(routes))
  }

  subscript(_ template: String?) -> RouteMetrics {
    template.flatMap { self.entries.load()?.routes[$0] } ?? self.unknown
  }
}
