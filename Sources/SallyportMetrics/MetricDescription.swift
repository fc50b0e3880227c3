/// The name, type, and help text of a metric.
public struct MetricDescription: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// A value that only increases.
    case counter
    case gauge
    /// - Parameter buckets: The upper bounds in increasing order, without the final bound, which is infinity.
    case histogram(buckets: [Double])
  }

  public var name: String
  public var kind: Kind
  /// A one-line description for operators.
  public var help: String

  public init(_ name: String, _ kind: Kind, help: String) {
    self.name = name
    self.kind = kind
    self.help = help
  }
}

extension MetricDescription.Kind {
  /// A histogram with default buckets for durations in seconds, from 1 millisecond to 10 seconds.
  public static let times = MetricDescription.Kind.histogram(
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])

  /// The type as it appears in a TYPE line.
  var typeName: String {
    switch self {
    case .counter: "counter"
    case .gauge: "gauge"
    case .histogram: "histogram"
    }
  }
}
