/// What is told of a metric beside its values.
public struct MetricDescription: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// Only ever grows.
    case counter
    case gauge
    /// - Parameter buckets: the upper bounds, each larger than the one before; that of the last, infinity, is not among them.
    case histogram(buckets: [Double])
  }

  public var name: String
  public var kind: Kind
  /// One line for the operator.
  public var help: String

  public init(_ name: String, _ kind: Kind, help: String) {
    self.name = name
    self.kind = kind
    self.help = help
  }
}

extension MetricDescription.Kind {
  /// For times in seconds of which nothing else is known: a millisecond to ten seconds.
  public static let times = MetricDescription.Kind.histogram(
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])

  /// The word of a TYPE line.
  var word: String {
    switch self {
    case .counter: "counter"
    case .gauge: "gauge"
    case .histogram: "histogram"
    }
  }
}
