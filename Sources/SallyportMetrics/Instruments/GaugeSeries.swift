import CoreMetrics

/// A value that can increase and decrease.
final class GaugeSeries: Series, MeterHandler, RecorderHandler {
  private let current = AtomicDouble()

  func set(_ value: Int64) { self.current.set(Double(value)) }
  func set(_ value: Double) { self.current.set(value) }
  func increment(by amount: Double) { self.current.add(amount) }
  func decrement(by amount: Double) { self.current.add(-amount) }
  func record(_ value: Int64) { self.set(value) }
  func record(_ value: Double) { self.set(value) }

  func write(_ name: String, _ labels: String, to text: inout ExpositionText) {
    text.sample(name, labels, ExpositionText.number(self.current.value))
  }
}
