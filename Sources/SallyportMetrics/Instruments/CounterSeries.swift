import CoreMetrics
import Synchronization

/// A counter, which increases by integers or floating-point numbers.
final class CounterSeries: Series, CounterHandler, FloatingPointCounterHandler {
  /// The sum of the integer increments.
  private let integer = Atomic<Int64>(0)
  /// The sum of the floating-point increments.
  private let floatingPoint = AtomicDouble()

  /// Increments the counter. On overflow, the value stays at the maximum, as `CounterHandler` requires.
  func increment(by amount: Int64) {
    guard amount > 0 else { return }
    let (_, new) = self.integer.wrappingAdd(amount, ordering: .relaxed)
    if new < 0 { self.integer.store(.max, ordering: .relaxed) }
  }

  func increment(by amount: Double) {
    guard amount > 0, amount.isFinite else { return }
    self.floatingPoint.add(amount)
  }

  func reset() {
    self.integer.store(0, ordering: .relaxed)
    self.floatingPoint.set(0)
  }

  func write(_ name: String, _ labels: String, to text: inout ExpositionText) {
    let (integer, floatingPoint) = (self.integer.load(ordering: .relaxed), self.floatingPoint.value)
    text.sample(name, labels, floatingPoint == 0 ? "\(integer)" : ExpositionText.number(Double(integer) + floatingPoint))
  }
}
