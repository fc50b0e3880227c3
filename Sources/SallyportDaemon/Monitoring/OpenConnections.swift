import Synchronization

/// The number of open connections.
final class OpenConnections: Sendable {
  private let number = Atomic<Int>(0)

  var count: Int { self.number.load(ordering: .relaxed) }

  func increment() { self.number.add(1, ordering: .relaxed) }
  func decrement() { self.number.subtract(1, ordering: .relaxed) }
}
