/// One set of labels of a metric.
protocol Series: AnyObject, Sendable {
  /// - Parameter labels: as they are written, empty for none.
  func write(_ name: String, _ labels: String, to text: inout ExpositionText)
}
