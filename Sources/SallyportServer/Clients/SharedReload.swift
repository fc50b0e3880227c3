import Synchronization

/// Limits how often something is read again, and lets all waiting callers share one read.
///
/// A caller needs a read that begins after its call, because an earlier read may not contain what the caller is looking
/// for. The next read begins when ``interval`` has passed since the last read began, and the last read has ended. Any number
/// of callers therefore causes at most one read per interval.
final class SharedReload<Failure: Error>: Sendable {
  private struct State {
    /// When the last read began.
    var began: ContinuousClock.Instant?
    var isReading = false
    /// The read that will begin next; nil if no caller waits for it.
    var next: Task<Result<Void, Failure>, Never>?
  }

  /// The shortest time between the beginnings of two reads.
  let interval: Duration
  private let state = Mutex(State())

  init(interval: Duration) {
    self.interval = interval
  }

  /// Returns after a read that began after this call.
  func run(_ read: @escaping @Sendable () async throws(Failure) -> Void) async throws(Failure) {
    let next = self.state.withLock { state in
      // A task of its own, because the read must continue for the other callers if the first one is canceled.
      let task = state.next ?? Task.detached { await self.perform(read) }
      state.next = task
      return task
    }
    try await next.value.get()
  }

  private func perform(_ read: () async throws(Failure) -> Void) async -> Result<Void, Failure> {
    while let pause = self.begin() { try? await Task.sleep(for: pause) }
    defer { self.state.withLock { $0.isReading = false } }
    do throws(Failure) { return .success(try await read()) } catch { return .failure(error) }
  }

  /// Begins the read if it may begin now.
  /// - Returns: How long to wait before the next attempt; nil if the read has begun.
  private func begin() -> Duration? {
    self.state.withLock { state in
      let now = ContinuousClock.now
      if let earliest = state.began.map({ $0 + self.interval }), now < earliest { return earliest - now }
      if state.isReading { return self.interval }
      // Callers from now on need another read.
      (state.began, state.isReading, state.next) = (now, true, nil)
      return nil
    }
  }
}
