/// The values of a metric for one set of labels.
protocol Series: AnyObject, Sendable {
  /// Writes the values to `text`.
  /// - Parameter labels: The labels in the form that ``ExpositionText/labels(_:)`` returns, or an empty string for
  ///   none.
  func write(_ name: String, _ labels: String, to text: inout ExpositionText)
}
