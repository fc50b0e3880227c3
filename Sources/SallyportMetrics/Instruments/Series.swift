/// The values of a metric for one set of labels.
protocol Series: AnyObject, Sendable {
  /// - Parameter labels: The formatted labels, or an empty string for none.
  func write(_ name: String, _ labels: String, to text: inout ExpositionText)
}
