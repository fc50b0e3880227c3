import Dispatch
import Synchronization

/// Runs a task on the thread that asks for it, the main one.
///
/// `sallyport token` with a token that is still good reads a few small files and prints one line. On the default executor that
/// would start several threads, which take longer than the work.
final class MainThreadExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let wakeUp = DispatchSemaphore(value: 0)

  /// Runs `body`, and what it waits for, on this thread; `body` ends the process.
  func run(_ body: @escaping @Sendable () async -> Never) -> Never {
    Task(executorPreference: self) { await body() }
    while true {
      self.wakeUp.wait()
      let job = self.jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      job?.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    self.jobs.withLock { $0.append(job) }
    self.wakeUp.signal()
  }
}
