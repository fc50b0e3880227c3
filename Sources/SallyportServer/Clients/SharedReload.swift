import SallyportRemote
import Synchronization

/// Limits how often something is read again, and lets all waiting callers share one read.
///
/// A caller needs a read that begins after its call, because an earlier read may not contain what the caller is looking
/// for. The next read begins when ``interval`` has passed since the last read began, and the last read has ended. Any
/// number of callers therefore causes at most one read per interval.
final class SharedReload<Failure: Error>: Sendable {
  private struct State {
    /// When the last read began.
    var began: ContinuousClock.Instant?
    /// The number of the read that will begin next.
    var next = 0
  }

  /// The shortest time between the beginnings of two reads.
  let interval: Duration
  private let state = Mutex(State())
  /// The read that will begin next, if a caller waits for it, and the last one, until it has ended.
  private let reads = SingleFlight<Int, Result<Void, Failure>>()

  init(interval: Duration) {
    self.interval = interval
  }

  /// Returns after a read that began after this call.
  func run(_ read: @escaping @Sendable () async throws(Failure) -> Void) async throws(Failure) {
    // A read takes the lock before it begins. This caller holds the lock until it has registered for read `number`, so
    // read `number` cannot have begun before this call.
    let task = self.state.withLock { state in
      let number = state.next
      return self.reads.start(number) {
        // `StoreTime` is the time that a caller's request may still wait for the store. All callers share this read, so
        // the time of the first caller must not limit it.
        await StoreTime.$current.withValue(nil) { await self.perform(number, read) }
      }
    }
    try await task.value.get()
  }

  private func perform(
    _ number: Int, _ read: @Sendable () async throws(Failure) -> Void
  ) async -> Result<Void, Failure> {
    _ = await self.reads.task(for: number - 1)?.value
    if let began = self.state.withLock({ $0.began }) { try? await Task.sleep(until: began + self.interval) }
    // Callers from now on wait for the next read.
    self.state.withLock { $0 = State(began: .now, next: number + 1) }
    do throws(Failure) { return .success(try await read()) } catch { return .failure(error) }
  }
}
