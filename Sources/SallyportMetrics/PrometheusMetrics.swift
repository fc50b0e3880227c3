public import CoreMetrics
import Synchronization

/// A metrics factory that provides the metrics of a process in the Prometheus text exposition format 0.0.4.
///
/// Memory use is bounded. Instruments beyond the limits, and instruments whose name another metric already uses, still
/// work, but their values are not written. The metric `metrics_series_dropped_total` counts these instruments.
/// Recording takes no lock. Invalid names and labels are made valid. A `Timer` is written as a histogram
/// in seconds, with a name that ends in `_seconds`.
public final class PrometheusMetrics: MetricsFactory {
  /// All series with the same name.
  private struct Family {
    var kind: MetricDescription.Kind
    var help: String
    /// The series, keyed by their formatted labels.
    var series: [String: any Series] = [:]
  }

  private struct State {
    var families: [String: Family] = [:]
    /// The names that are in use. A histogram uses several names, and no other metric may use any of them.
    var usedNames: Set<String> = []
  }

  /// The value of the Content-Type field for ``text()``.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"
  private static let droppedName = "metrics_series_dropped_total"

  private let descriptions: [String: MetricDescription]
  private let seriesLimit: Int
  private let familyLimit: Int
  private let state = Mutex(State())
  private let dropped = CounterSeries()

  /// - Parameters:
  ///   - descriptions: The help texts and buckets of known metrics. Other metrics have no help text, and the buckets of
  ///     ``MetricDescription/Kind/times``.
  ///   - seriesLimit: The maximum number of label sets of one metric.
  ///   - familyLimit: The maximum number of metrics.
  public init(describing descriptions: [MetricDescription] = [], seriesLimit: Int = 1_000, familyLimit: Int = 500) {
    self.descriptions = Dictionary(descriptions.map { (MetricNames.metric($0.name), $0) }) { first, _ in first }
    self.seriesLimit = seriesLimit
    self.familyLimit = familyLimit
    let help = "Instruments that were created but are not exported, because a limit was reached or their name is already in use."
    self.state.withLock { state in
      state.families[Self.droppedName] = Family(kind: .counter, help: help, series: ["": self.dropped])
      state.usedNames = [Self.droppedName]
    }
  }

  /// Adds a metric whose value is read each time the metrics are written.
  /// - Parameter read: Returns the value, or `nil` to leave out the metric this time. It must not block.
  public func observe(
    _ description: MetricDescription, labels: [(String, String)] = [], _ read: @escaping @Sendable () -> Double?
  ) {
    _ = self.series(description.name, labels, description.kind, help: description.help) { ObservedSeries(read) }
  }

  /// All metrics in the text exposition format, sorted by name.
  public func text() -> String {
    let families = self.state.withLock { $0.families }
    var text = ExpositionText()
    for (name, family) in families.sorted(by: { $0.key < $1.key }) {
      text.begin(name, family.kind, help: family.help)
      for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) { series.write(name, labels, to: &text) }
    }
    return text.text
  }

  // MARK: MetricsFactory

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    self.series(label, dimensions, .counter) { CounterSeries() }
  }

  public func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
    self.series(label, dimensions, .counter) { CounterSeries() }
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    self.series(label, dimensions, .gauge) { GaugeSeries() }
  }

  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    guard aggregate else { return self.series(label, dimensions, .gauge) { GaugeSeries() } }
    return self.histogram(label, dimensions)
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    self.histogram(label.hasSuffix("_seconds") ? label : "\(label)_seconds", dimensions)
  }

  public func destroyCounter(_ handler: any CounterHandler) { self.remove(handler) }
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { self.remove(handler) }
  public func destroyMeter(_ handler: any MeterHandler) { self.remove(handler) }
  public func destroyRecorder(_ handler: any RecorderHandler) { self.remove(handler) }
  public func destroyTimer(_ handler: any TimerHandler) { self.remove(handler) }

  // MARK: The registry

  private func histogram(_ label: String, _ dimensions: [(String, String)]) -> HistogramSeries {
    var bounds: [Double] = []
    let described = self.descriptions[MetricNames.metric(label)]?.kind ?? .times
    if case .histogram(let buckets) = described { bounds = buckets }
    return self.series(label, dimensions, .histogram(buckets: bounds)) { HistogramSeries(bounds: bounds) }
  }

  /// Returns the series with this name and these labels. If a limit is reached, or another metric already uses the
  /// name, returns a series that works but is not written.
  private func series<S: Series>(
    _ label: String, _ dimensions: [(String, String)], _ kind: MetricDescription.Kind, help: String? = nil, _ make: () -> S
  ) -> S {
    let name = MetricNames.metric(label)
    let labels = ExpositionText.labels(MetricNames.labels(dimensions))
    let registeredSeries: S? = self.state.withLock { state in
      if state.families[name] == nil {
        let names = Self.names(name, kind)
        guard state.families.count < self.familyLimit, state.usedNames.isDisjoint(with: names) else { return nil }
        state.families[name] = Family(kind: kind, help: help ?? self.descriptions[name]?.help ?? "")
        state.usedNames.formUnion(names)
      }
      guard let family = state.families[name], family.kind == kind else { return nil }
      if let existing = family.series[labels] { return existing as? S }
      guard family.series.count < self.seriesLimit else { return nil }
      let newSeries = make()
      state.families[name]?.series[labels] = newSeries
      return newSeries
    }
    if let registeredSeries { return registeredSeries }
    self.dropped.increment(by: 1 as Int64)
    return make()
  }

  /// Returns the name of a metric, and the names of the lines that it writes.
  private static func names(_ name: String, _ kind: MetricDescription.Kind) -> Set<String> {
    guard case .histogram = kind else { return [name] }
    return [name, "\(name)_bucket", "\(name)_sum", "\(name)_count"]
  }

  private func remove(_ handler: AnyObject) {
    self.state.withLock { state in
      for (name, family) in state.families {
        for (labels, series) in family.series where series === handler { state.families[name]?.series[labels] = nil }
      }
    }
  }
}
