import CoreMetrics
import Synchronization

/// A lock-free histogram. Durations are recorded in seconds.
final class HistogramSeries: Series, RecorderHandler, TimerHandler {
  private final class Bucket: Sendable {
    let count = Atomic<Int64>(0)
  }

  private let bounds: [Double]
  /// One bucket for each bound, and one for larger values.
  private let buckets: [Bucket]
  private let sum = AtomicDouble()

  init(bounds: [Double]) {
    self.bounds = bounds
    self.buckets = (0...bounds.count).map { _ in Bucket() }
  }

  func record(_ value: Int64) { self.record(Double(value)) }

  /// Records a value. NaN is ignored, because it fits no bucket.
  func record(_ value: Double) {
    guard !value.isNaN else { return }
    let index = self.bounds.firstIndex { value <= $0 } ?? self.bounds.count
    self.buckets[index].count.wrappingAdd(1, ordering: .relaxed)
    self.sum.add(value)
  }

  func recordNanoseconds(_ duration: Int64) { self.record(Double(duration) / 1e9) }

  /// Writes the histogram. The count is the sum of the buckets that are written, so that it always matches them.
  func write(_ name: String, _ labels: String, to text: inout ExpositionText) {
    var total: Int64 = 0
    let separator = labels.isEmpty ? "" : ","
    for (bucket, bound) in zip(self.buckets, self.bounds + [.infinity]) {
      total += bucket.count.load(ordering: .relaxed)
      text.sample("\(name)_bucket", "\(labels)\(separator)le=\"\(ExpositionText.number(bound))\"", "\(total)")
    }
    text.sample("\(name)_sum", labels, ExpositionText.number(self.sum.value))
    text.sample("\(name)_count", labels, "\(total)")
  }
}
