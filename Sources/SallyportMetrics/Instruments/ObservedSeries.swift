/// A value that is stored elsewhere, and read when the metrics are written. While `read` returns nil, the value is left
/// out.
final class ObservedSeries: Series {
  private let read: @Sendable () -> Double?

  init(_ read: @escaping @Sendable () -> Double?) {
    self.read = read
  }

  func write(_ name: String, _ labels: String, to text: inout ExpositionText) {
    guard let value = self.read() else { return }
    text.sample(name, labels, ExpositionText.number(value))
  }
}
