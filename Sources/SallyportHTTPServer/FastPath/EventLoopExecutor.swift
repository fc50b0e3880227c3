import NIOCore

/// A task executor that runs tasks on an event loop, so that a request stays on one thread. See
/// docs/decisions/0025-run-on-the-event-loop.md.
final class EventLoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(loop: any EventLoop) {
    self.loop = loop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    self.loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
