import GRDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How long a connection waits for the locks of other connections and processes.
///
/// The wait blocks the thread that uses the connection. Each read sets a new deadline.
final class BusyWait: Sendable {
  private struct State {
    var deadline = ContinuousClock.now
    var hasTimedOut = false
  }

  private let state = Mutex(State())

  /// Whether a lock was not available at the deadline.
  var hasTimedOut: Bool { self.state.withLock { $0.hasTimedOut } }

  /// Sets the deadline for the statements that follow.
  func begin(until deadline: ContinuousClock.Instant) {
    self.state.withLock { $0 = State(deadline: deadline) }
  }

  var mode: Database.BusyMode {
    .callback { _ in
      Self.pause()
      return self.state.withLock { state in
        state.hasTimedOut = ContinuousClock.now >= state.deadline
        return !state.hasTimedOut
      }
    }
  }

  /// Pauses for a short random time. SQLite's lock is not fair: with the longer waits of SQLite's own handler, a
  /// process might never get the lock while another process writes constantly.
  static func pause() {
    usleep(UInt32.random(in: 500...2_500))
  }
}
