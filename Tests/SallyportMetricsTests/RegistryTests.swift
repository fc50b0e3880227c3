import CoreMetrics
import Testing

@testable import SallyportMetrics

@Suite("Metric registry")
struct RegistryTests {
  /// Returns the value of a series, as the metrics endpoint shows it.
  private func value(_ metrics: PrometheusMetrics, _ series: String) -> String? {
    metrics.text().split(separator: "\n").first { $0.hasPrefix("\(series) ") }.map { String($0.dropFirst(series.count + 1)) }
  }

  @Test("the same name and labels are one series, in any order")
  func identity() {
    let metrics = PrometheusMetrics()
    metrics.makeCounter(label: "c", dimensions: [("a", "1"), ("b", "2")]).increment(by: 1)
    metrics.makeCounter(label: "c", dimensions: [("b", "2"), ("a", "1")]).increment(by: 1)
    #expect(self.value(metrics, #"c{a="1",b="2"}"#) == "2")
  }

  @Test("beyond the limits, instruments can be used but are not written, and a metric counts them")
  func limits() {
    let metrics = PrometheusMetrics(seriesLimit: 3, familyLimit: 3)
    for index in 0..<10_000 { metrics.makeCounter(label: "c", dimensions: [("v", "\(index)")]).increment(by: 1) }
    for index in 0..<10 { metrics.makeMeter(label: "m\(index)", dimensions: []).set(1.0) }
    let samples = metrics.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
    // The samples are three series of c, the first meter, and the metric that counts the dropped series.
    #expect(samples.count == 3 + 1 + 1)
    // All series of c except three, and nine of the ten meters, are dropped.
    #expect(self.value(metrics, "metrics_series_dropped_total") == "\(10_000 - 3 + 9)")
  }

  @Test("a name has one type, and a metric whose lines would have the name of another metric's lines is dropped")
  func types() {
    let metrics = PrometheusMetrics()
    metrics.makeCounter(label: "a", dimensions: []).increment(by: 1)
    metrics.makeMeter(label: "a", dimensions: []).set(5.0)
    metrics.makeMeter(label: "a", dimensions: [("b", "c")]).set(5.0)
    metrics.makeRecorder(label: "h", dimensions: [], aggregate: true).record(1 as Int64)
    metrics.makeCounter(label: "h_count", dimensions: []).increment(by: 9)
    metrics.makeCounter(label: "k_sum", dimensions: []).increment(by: 9)
    metrics.makeRecorder(label: "k", dimensions: [], aggregate: true).record(1 as Int64)
    #expect(self.value(metrics, "a") == "1" && self.value(metrics, "h_count") == "1" && self.value(metrics, "k_sum") == "9")
    #expect(self.value(metrics, "k_count") == nil)
    #expect(self.value(metrics, #"a{b="c"}"#) == nil)
    // The two meters named a, the counter h_count, and the histogram k are dropped.
    #expect(self.value(metrics, "metrics_series_dropped_total") == "4")
  }

  @Test("a timer of swift-metrics is written in seconds, with a name that ends in _seconds")
  func timers() {
    let metrics = PrometheusMetrics()
    Timer(label: "http.duration", factory: metrics).recordMilliseconds(1_500)
    #expect(self.value(metrics, "http_duration_seconds_sum") == "1.5")
    #expect(self.value(metrics, #"http_duration_seconds_bucket{le="1"}"#) == "0")
    #expect(self.value(metrics, #"http_duration_seconds_bucket{le="2.5"}"#) == "1")
  }

  @Test("a destroyed series is no longer written")
  func destroyed() {
    let metrics = PrometheusMetrics()
    let counter = Counter(label: "c", dimensions: [], factory: metrics)
    counter.increment()
    #expect(self.value(metrics, "c") == "1")
    counter.destroy()
    #expect(self.value(metrics, "c") == nil)
  }

  @Test("no value is lost when many tasks record at once")
  func concurrency() async {
    let metrics = PrometheusMetrics()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let counter = metrics.makeCounter(label: "c", dimensions: [])
          let meter = metrics.makeMeter(label: "m", dimensions: [])
          let histogram = metrics.makeRecorder(label: "h", dimensions: [], aggregate: true)
          for _ in 0..<10_000 {
            counter.increment(by: 1)
            meter.increment(by: 1)
            histogram.record(1 as Int64)
          }
        }
      }
    }
    #expect(self.value(metrics, "c") == "80000" && self.value(metrics, "m") == "80000")
    #expect(self.value(metrics, "h_sum") == "80000" && self.value(metrics, "h_count") == "80000")
  }

  @Test(
    "the resource usage of the process is written", .enabled(if: ProcessMeasures().residentMemory != nil, "there is no /proc"))
  func process() throws {
    let metrics = PrometheusMetrics()
    ProcessMeasures.observe(on: metrics, started: 1_700_000_000)
    for name in ["process_resident_memory_bytes", "process_virtual_memory_bytes", "process_open_fds", "process_threads"] {
      let value = try #require(self.value(metrics, name).flatMap(Double.init))
      #expect(value >= 1, "\(name)")
    }
    #expect(try #require(self.value(metrics, "process_resident_memory_bytes").flatMap(Double.init)) > 1_000_000)
    #expect(self.value(metrics, "process_cpu_seconds_total").flatMap(Double.init) != nil)
    #expect(self.value(metrics, "process_start_time_seconds") == "1700000000")
    // The name of a process can contain spaces and parentheses.
    let fields = try #require(ProcessMeasures.statFields("7 (a) b (c)) S 1 2"))
    #expect(fields == ["S", "1", "2"])
  }
}
