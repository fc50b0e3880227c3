import Metrics
import Synchronization

/// The counters of one metric. Counters whose label values are known in advance are created at the start, and other
/// counters when their label values first occur. Clients cannot choose label values, so the number of counters is
/// small.
final class CounterTable: Sendable {
  private let metric: ServerMetric
  private let names: [String]
  private let factory: any MetricsFactory
  private let counters: Mutex<[[String]: Counter]>

  /// - Parameters:
  ///   - names: The names of the labels.
  ///   - known: Label values whose counters are created now, with the value zero, so that the first event is visible as
  ///     an increase.
  init(_ metric: ServerMetric, _ names: [String], _ factory: any MetricsFactory, known: [[String]] = []) {
    self.metric = metric
    self.names = names
    self.factory = factory
    let counters = known.map { ($0, Self.counter(metric, names, $0, factory)) }
    self.counters = Mutex(Dictionary(uniqueKeysWithValues: counters))
  }

  func count(_ values: String...) {
    let counter = self.counters.withLock { counters in
      if let counter = counters[values] { return counter }
      let counter = Self.counter(self.metric, self.names, values, self.factory)
      counters[values] = counter
      return counter
    }
    counter.increment()
  }

  private static func counter(
    _ metric: ServerMetric, _ names: [String], _ values: [String], _ factory: any MetricsFactory
  ) -> Counter {
    Counter(label: metric.rawValue, dimensions: Array(zip(names, values)), factory: factory)
  }
}
