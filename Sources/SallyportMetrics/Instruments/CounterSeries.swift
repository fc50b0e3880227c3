import CoreMetrics
import Synchronization

/// A counter, which increases by integers or floating-point numbers.
final class CounterSeries: Series, CounterHandler, FloatingPointCounterHandler {
  private let whole = Atomic<Int64>(0)
  private let parts = AtomicDouble()

  /// Increments the counter. On overflow, the value stays at the maximum, as `CounterHandler` requires.
  func increment(by amount: Int64) {
    guard amount > 0 else { return }
    let (_, new) = self.whole.wrappingAdd(amount, ordering: .relaxed)
    if new < 0 { self.whole.store(.max, ordering: .relaxed) }
  }

  func increment(by amount: Double) {
    guard amount > 0, amount.isFinite else { return }
    self.parts.add(amount)
  }

  func reset() {
    self.whole.store(0, ordering: .relaxed)
    self.parts.set(0)
  }

  func write(_ name: String, _ labels: String, to text: inout ExpositionText) {
    let (whole, parts) = (self.whole.load(ordering: .relaxed), self.parts.value)
    text.sample(name, labels, parts == 0 ? "\(whole)" : ExpositionText.number(Double(whole) + parts))
  }
}
