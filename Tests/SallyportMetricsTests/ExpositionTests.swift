import CoreMetrics
import Testing

@testable import SallyportMetrics

@Suite("Prometheus text format")
struct ExpositionTests {
  private func lines(_ metrics: PrometheusMetrics, _ prefix: String) -> [String] {
    metrics.text().split(separator: "\n").map(String.init).filter { $0.hasPrefix(prefix) }
  }

  @Test("a complete example of the format")
  func whole() {
    let metrics = PrometheusMetrics(describing: [
      .init("requests_total", .counter, help: "Requests."),
      .init("wait_seconds", .histogram(buckets: [0.1, 1]), help: "Waiting\nfor \\ \"it\"."),
    ])
    metrics.makeCounter(label: "requests_total", dimensions: [("route", "/b"), ("method", "GET")]).increment(by: 2)
    metrics.makeCounter(label: "requests_total", dimensions: [("method", "GET"), ("route", "/a")]).increment(by: 1)
    metrics.makeMeter(label: "line", dimensions: []).set(2.5)
    let wait = metrics.makeTimer(label: "wait_seconds", dimensions: [])
    for nanoseconds in [50_000_000, 100_000_000, 500_000_000, 3_000_000_000] as [Int64] { wait.recordNanoseconds(nanoseconds) }
    metrics.observe(.init("age_seconds", .gauge, help: "Age.")) { 12 }
    metrics.observe(.init("nothing", .gauge, help: "")) { nil }
    #expect(
      metrics.text() == #"""
        # HELP age_seconds Age.
        # TYPE age_seconds gauge
        age_seconds 12
        # TYPE line gauge
        line 2.5
        # HELP metrics_series_dropped_total Instruments that were created but are not exported, because a limit was reached or their name is already in use.
        # TYPE metrics_series_dropped_total counter
        metrics_series_dropped_total 0
        # TYPE nothing gauge
        # HELP requests_total Requests.
        # TYPE requests_total counter
        requests_total{method="GET",route="/a"} 1
        requests_total{method="GET",route="/b"} 2
        # HELP wait_seconds Waiting\nfor \\ "it".
        # TYPE wait_seconds histogram
        wait_seconds_bucket{le="0.1"} 2
        wait_seconds_bucket{le="1"} 3
        wait_seconds_bucket{le="+Inf"} 4
        wait_seconds_sum 3.65
        wait_seconds_count 4

        """#)
  }

  static let hostileValues: [(String, String)] = [
    ("a\nevil 1", #"v="a\nevil 1""#), ("a\r\nevil 1", #"v="a\n\nevil 1""#), ("a\"} 1", #"v="a\"} 1""#), ("a\\", #"v="a\\""#),
    ("\\\"", #"v="\\\"""#), ("\u{2028}x\u{85}", #"v="\nx\n""#), ("\u{0}", "v=\"\u{0}\""), ("", #"v="""#),
    ("käse", #"v="käse""#), (String(repeating: "é", count: 200), "v=\"\(String(repeating: "é", count: 128))\""),
  ]

  @Test("a label value cannot end its line or its quotes", arguments: Self.hostileValues)
  func value(_ value: String, _ expected: String) {
    let metrics = PrometheusMetrics()
    metrics.makeCounter(label: "c", dimensions: [("v", value)]).increment(by: 1)
    let found = metrics.text().unicodeScalars.split(separator: "\n").map { String($0) }.filter { $0.hasPrefix("c{") }
    #expect(found == ["c{\(expected)} 1"])
    #expect(!metrics.text().unicodeScalars.contains { "\r\u{85}\u{2028}\u{2029}".unicodeScalars.contains($0) })
  }

  static let metricNames: [(String, String)] = [
    ("http.requests", "http_requests"), ("a b\nc", "a_b_c"), ("9lives", "_9lives"), ("", "_"), ("a:b", "a:b"), ("ä", "__"),
    ("x{y=\"z\"} 1", "x_y__z___1"),
  ]

  @Test("a metric name is converted to a valid one", arguments: Self.metricNames)
  func name(_ name: String, _ expected: String) {
    let metrics = PrometheusMetrics()
    metrics.makeCounter(label: name, dimensions: []).increment(by: 7)
    #expect(self.lines(metrics, "\(expected) ") == ["\(expected) 7"])
  }

  static let labelNames: [([(String, String)], String)] = [
    ([("le", "1")], #"label_le="1""#), ([("__name__", "x")], #"label__name__="x""#),
    ([("a.b", "1"), ("a_b", "2")], #"a_b="1""#), ([("a:b", "1")], #"a_b="1""#), ([("b", "2"), ("a", "1")], #"a="1",b="2""#),
  ]

  @Test(
    "a label name is converted to a valid one, and of labels that then have the same name, the first is kept",
    arguments: Self.labelNames)
  func label(_ labels: [(String, String)], _ expected: String) {
    let metrics = PrometheusMetrics()
    metrics.makeCounter(label: "c", dimensions: labels).increment(by: 1)
    #expect(self.lines(metrics, "c{") == ["c{\(expected)} 1"])
  }

  static let numbers: [(Double, String)] = [
    (.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (0, "0"), (-0.5, "-0.5"), (1e300, "1e+300"), (1_234_567, "1234567"),
    (.leastNonzeroMagnitude, "5e-324"),
  ]

  @Test("numbers are written as Prometheus expects, including NaN and infinity", arguments: Self.numbers)
  func writesNumbers(_ value: Double, _ expected: String) {
    let metrics = PrometheusMetrics()
    metrics.makeRecorder(label: "g", dimensions: [], aggregate: false).record(value)
    #expect(self.lines(metrics, "g ") == ["g \(expected)"])
  }

  @Test("a counter ignores negative increments and does not overflow; a floating-point counter also ignores NaN and infinity")
  func counters() {
    let metrics = PrometheusMetrics()
    let counter = metrics.makeCounter(label: "c", dimensions: [])
    counter.increment(by: 5)
    counter.increment(by: -3)
    #expect(self.lines(metrics, "c ") == ["c 5"])
    counter.increment(by: .max)
    #expect(self.lines(metrics, "c ") == ["c \(Int64.max)"])
    counter.reset()
    #expect(self.lines(metrics, "c ") == ["c 0"])
    let parts = metrics.makeFloatingPointCounter(label: "f", dimensions: [])
    for amount in [0.25, -1, .nan, .infinity, 0.5] { parts.increment(by: amount) }
    #expect(self.lines(metrics, "f ") == ["f 0.75"])
  }

  @Test("a histogram counts values beyond its bounds, and ignores NaN")
  func histograms() {
    let metrics = PrometheusMetrics(describing: [.init("h", .histogram(buckets: [1, 2]), help: "")])
    let histogram = metrics.makeRecorder(label: "h", dimensions: [("a", "b")], aggregate: true)
    for value in [-1, 1, 1.5, 2, 3, .nan] { histogram.record(value) }
    #expect(
      self.lines(metrics, "h") == [
        #"h_bucket{a="b",le="1"} 2"#, #"h_bucket{a="b",le="2"} 4"#, #"h_bucket{a="b",le="+Inf"} 5"#, #"h_sum{a="b"} 6.5"#,
        #"h_count{a="b"} 5"#,
      ])
  }
}
