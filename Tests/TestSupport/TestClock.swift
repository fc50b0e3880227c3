package import Foundation
package import SallyportProtocol
import Synchronization

/// A clock that stands still until a test moves it.
package final class TestClock: Sendable {
  private let current: Mutex<Timestamp>

  package init(_ start: Timestamp = Timestamp(seconds: 1_800_000_000)) {
    self.current = Mutex(start)
  }

  package var now: Timestamp {
    get { self.current.withLock { $0 } }
    set { self.current.withLock { $0 = newValue } }
  }

  /// Moves the clock; a negative duration sets it back.
  package func advance(by duration: Duration) {
    self.current.withLock { $0 = $0 + duration }
  }

  /// This clock as the code under test takes it.
  package var source: TimeSource {
    { self.now }
  }

  /// This clock as the public API of the client takes it.
  package var dates: @Sendable () -> Date {
    { self.now.date }
  }
}
