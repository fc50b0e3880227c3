import CoreMetrics
import Synchronization

/// A counter, which increases by integers or floating-point numbers.
final class CounterSeries: Series, CounterHandler, FloatingPointCounterHandler {
  private let integer = Atomic<Int64>(0)
  private let fraction = AtomicDouble()

  /// Increments the counter. On overflow, the value stays at the maximum, as `CounterHandler` requires.
  func increment(by amount: Int64) {
    guard amount > 0 else { return }
    let (_, new) = self.integer.wrappingAdd(amount, ordering: .relaxed)
    if new < 0 { self.integer.store(.max, ordering: .relaxed) }
  }

  func increment(by amount: Double) {
    guard amount > 0, amount.isFinite else { return }
    self.fraction.add(amount)
  }

  func reset() {
    self.integer.store(0, ordering: .relaxed)
    self.fraction.set(0)
  }

  func write(_ name: String, _ labels: String, to text: inout ExpositionText) {
    let (integer, fraction) = (self.integer.load(ordering: .relaxed), self.fraction.value)
    text.sample(name, labels, fraction == 0 ? "\(integer)" : ExpositionText.number(Double(integer) + fraction))
  }
}
