import GRDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How long a connection of a ``ReaderPool`` waits for the locks of other connections and processes.
///
/// The wait blocks the thread that uses the connection. Each read sets a new limit.
final class BusyWait: Sendable {
  private struct State {
    var limit = Duration.zero
    /// Set when a lock is unavailable for the first time. A read that never waits therefore never asks for the time.
    var deadline: ContinuousClock.Instant?
    var hasTimedOut = false
  }

  private let state = Mutex(State())

  /// Whether a lock was not available within the limit.
  var hasTimedOut: Bool { self.state.withLock { $0.hasTimedOut } }

  /// Sets how long the statements that follow may wait in total, from the first lock that is not available.
  func begin(limit: Duration) {
    self.state.withLock { $0 = State(limit: limit) }
  }

  /// The handler that SQLite calls whenever a lock is not available. Its result is whether SQLite tries again.
  var mode: Database.BusyMode {
    .callback { _ in
      let hasTimedOut = self.state.withLock { state in
        let now = ContinuousClock.now
        let deadline = state.deadline ?? now + state.limit
        state.deadline = deadline
        state.hasTimedOut = now >= deadline
        return state.hasTimedOut
      }
      if !hasTimedOut { Self.pause() }
      return !hasTimedOut
    }
  }

  /// Pauses for a short random time. SQLite's lock is not fair: with the longer waits of SQLite's own handler, a
  /// process might never get the lock while another process writes constantly.
  static func pause() {
    usleep(UInt32.random(in: 500...2_500))
  }
}
