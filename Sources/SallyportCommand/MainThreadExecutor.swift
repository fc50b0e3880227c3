import Dispatch
import Synchronization

/// A task executor that runs on the calling thread, which is the main thread.
///
/// With a valid token, `sallyport token` reads the stored tokens and prints one line. The default executor would start
/// several threads, which takes longer than the work itself.
final class MainThreadExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let wakeUp = DispatchSemaphore(value: 0)

  /// Runs `body` and the functions that it awaits on this thread, except for functions of actors with a custom
  /// executor. `body` must end the process.
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
