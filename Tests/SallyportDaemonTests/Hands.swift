import Synchronization

/// A clock that a test moves, and on which whoever sleeps wakes at once at the later time.
final class Hands: Clock {
  private let state = Mutex((now: ContinuousClock.now, sleeps: [Duration]()))
  private let limit: Int

  /// - Parameter limit: how often somebody may sleep; then they are cancelled.
  init(sleeps limit: Int = 0) {
    self.limit = limit
  }

  let minimumResolution: Duration = .zero
  var now: ContinuousClock.Instant { self.state.withLock { $0.now } }
  /// How long each sleep was.
  var sleeps: [Duration] { self.state.withLock { $0.sleeps } }

  func advance(by duration: Duration) { self.state.withLock { $0.now += duration } }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try self.state.withLock { state in
      guard state.sleeps.count < self.limit else { throw CancellationError() }
      state.sleeps.append(state.now.duration(to: deadline))
      state.now = deadline
    }
  }
}
