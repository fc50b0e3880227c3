import Synchronization

/// Collects values from a callback.
final class Collected<Value: Sendable>: Sendable {
  private let state = Mutex<[Value]>([])

  func add(_ value: Value) {
    self.state.withLock { $0.append(value) }
  }

  var values: [Value] { self.state.withLock { $0 } }
}
