package import Foundation
package import SallyportProtocol
import Synchronization

/// A clock that a test sets and advances.
package final class TestClock: Sendable {
  private let current: Mutex<Timestamp>

  package init(_ start: Timestamp = Timestamp(seconds: 1_800_000_000)) {
    self.current = Mutex(start)
  }

  package var now: Timestamp {
    get { self.current.withLock { $0 } }
    set { self.current.withLock { $0 = newValue } }
  }

  /// Advances the clock. A negative duration sets it back.
  package func advance(by duration: Duration) {
    self.current.withLock { $0 = $0 + duration }
  }

  /// The clock as a dependency of the code under test.
  package var source: TimeSource {
    { self.now }
  }

  /// The clock as the public API of the client expects it.
  package var dates: @Sendable () -> Date {
    { self.now.date }
  }
}
