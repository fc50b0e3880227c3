import Synchronization

/// A clock that a test advances. A sleep returns immediately and advances the clock to its deadline.
final class ManualClock: Clock {
  private let state = Mutex((now: ContinuousClock.now, sleeps: [Duration]()))
  private let limit: Int

  /// - Parameter limit: The number of sleeps that return. Later sleeps throw `CancellationError`.
  init(sleeps limit: Int = 0) {
    self.limit = limit
  }

  let minimumResolution: Duration = .zero
  var now: ContinuousClock.Instant { self.state.withLock { $0.now } }
  /// The duration of each sleep.
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
