import Synchronization

/// A clock that a test advances. A sleep ends at once, and the clock advances to the deadline of the sleep.
final class ManualClock: Clock {
  private let state = Mutex((now: ContinuousClock.now, sleeps: [Duration]()))
  private let limit: Int

  /// - Parameter limit: The number of sleeps after which the next one throws `CancellationError`.
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
