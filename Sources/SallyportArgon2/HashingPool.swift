import Dispatch
import SallyportServer
import Synchronization

/// A fixed number of threads with a queue of limited length.
///
/// The threads belong to serial dispatch queues, so slow hashes do not block Swift's cooperative thread pool.
final class HashingPool: Sendable {
  private struct Job {
    let id: UInt64
    let run: @Sendable () -> Void
    let reject: @Sendable (PasswordHasherError) -> Void
  }

  private struct State {
    var idle: [DispatchQueue]
    var waiting: [Job] = []
    var lastID: UInt64 = 0
  }

  /// The maximum number of callers that wait for a thread.
  private let limit: Int
  private let state: Mutex<State>

  /// - Parameter waiting: The maximum number of callers that wait for a thread.
  init(threads: Int, waiting: Int) {
    self.limit = waiting
    self.state = Mutex(State(idle: (0..<max(1, threads)).map { DispatchQueue(label: "password hashing \($0)") }))
  }

  /// The number of callers that wait for a thread.
  var waiting: Int { self.state.withLock { $0.waiting.count } }

  /// Runs `work` on a thread of the pool.
  /// - Throws: Any error of `work`, ``PasswordHasherError/overloaded`` if the queue is full, or
  ///   ``PasswordHasherError/failed(reason:)`` if the task was canceled while it waited.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(PasswordHasherError) -> Value
  ) async throws(PasswordHasherError) -> Value {
    let id = self.state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let result: Result<Value, PasswordHasherError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        self.enqueue(
          Job(
            id: id,
            run: { continuation.resume(returning: Result { () throws(PasswordHasherError) in try work() }) },
            reject: { continuation.resume(returning: .failure($0)) }))
        // If the task was canceled before `enqueue`, the cancellation handler found no job to remove.
        if Task.isCancelled { self.cancel(id) }
      }
    } onCancel: {
      self.cancel(id)
    }
    return try result.get()
  }

  private func enqueue(_ job: Job) {
    enum Decision { case run(on: DispatchQueue), wait, reject }
    let decision: Decision = self.state.withLock { state in
      if let queue = state.idle.popLast() { return .run(on: queue) }
      guard state.waiting.count < self.limit else { return .reject }
      state.waiting.append(job)
      return .wait
    }
    switch decision {
    case .run(let queue): queue.async { self.perform(job, on: queue) }
    case .wait: break
    case .reject: job.reject(.overloaded)
    }
  }

  private func perform(_ job: Job, on queue: DispatchQueue) {
    job.run()
    let next: Job? = self.state.withLock { state in
      if state.waiting.isEmpty {
        state.idle.append(queue)
        return nil
      }
      return state.waiting.removeFirst()
    }
    if let next { queue.async { self.perform(next, on: queue) } }
  }

  private func cancel(_ id: UInt64) {
    let job: Job? = self.state.withLock { state in
      state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
    }
    job?.reject(.failed(reason: "the task was canceled while it waited for a thread"))
  }
}
