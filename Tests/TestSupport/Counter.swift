import Synchronization

/// A counter for concurrent tasks and threads.
package final class Counter: Sendable {
  private let count = Mutex(0)

  package init() {}

  package var value: Int { self.count.withLock { $0 } }

  /// - Returns: The new value.
  @discardableResult
  package func increment() -> Int {
    self.count.withLock { count in
      count += 1
      return count
    }
  }
}
