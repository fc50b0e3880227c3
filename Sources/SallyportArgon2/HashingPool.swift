import Dispatch
import SallyportServer
import Synchronization

/// A fixed number of threads and a line of bounded length before them.
///
/// The threads are those of serial dispatch queues, apart from Swift's task pool: slow work here delays nobody's `await`.
final class HashingPool: Sendable {
  private struct Job {
    let id: UInt64
    let run: @Sendable () -> Void
    let refuse: @Sendable (PasswordHasherError) -> Void
  }

  private struct State {
    var idle: [DispatchQueue]
    var waiting: [Job] = []
    var lastID: UInt64 = 0
  }

  private let limit: Int
  private let state: Mutex<State>

  init(threads: Int, waiting: Int) {
    self.limit = waiting
    self.state = Mutex(State(idle: (0..<max(1, threads)).map { DispatchQueue(label: "password hashing \($0)") }))
  }

  /// How many callers wait for a thread.
  var waiting: Int { self.state.withLock { $0.waiting.count } }

  /// Runs `work` when its turn comes.
  /// - Throws: what `work` throws, ``PasswordHasherError/overloaded`` where the line is full, and
  ///   ``PasswordHasherError/failed(reason:)`` where the task was cancelled before its turn.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(PasswordHasherError) -> Value
  ) async throws(PasswordHasherError) -> Value {
    let id = self.state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let result: Result<Value, PasswordHasherError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        self.enter(
          Job(
            id: id,
            run: { continuation.resume(returning: Result { () throws(PasswordHasherError) in try work() }) },
            refuse: { continuation.resume(returning: .failure($0)) }))
        // A cancellation that came before there was anything to take out of the line.
        if Task.isCancelled { self.leave(id) }
      }
    } onCancel: {
      self.leave(id)
    }
    return try result.get()
  }

  private func enter(_ job: Job) {
    enum Place { case now(DispatchQueue), later, never }
    let place: Place = self.state.withLock { state in
      if let queue = state.idle.popLast() { return .now(queue) }
      guard state.waiting.count < self.limit else { return .never }
      state.waiting.append(job)
      return .later
    }
    switch place {
    case .now(let queue): queue.async { self.work(job, on: queue) }
    case .later: break
    case .never: job.refuse(.overloaded)
    }
  }

  private func work(_ job: Job, on queue: DispatchQueue) {
    job.run()
    let next: Job? = self.state.withLock { state in
      if state.waiting.isEmpty {
        state.idle.append(queue)
        return nil
      }
      return state.waiting.removeFirst()
    }
    if let next { queue.async { self.work(next, on: queue) } }
  }

  private func leave(_ id: UInt64) {
    let job: Job? = self.state.withLock { state in
      state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
    }
    job?.refuse(.failed(reason: "cancelled"))
  }
}
