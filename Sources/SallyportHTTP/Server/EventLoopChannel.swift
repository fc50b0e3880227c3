public import HummingbirdCore
import Logging
import NIOCore

extension HTTPServerBuilder {
  /// HTTP/1.1, each request handled on the event loop of its connection.
  public static func http1OnEventLoops(idleTimeout: Duration) -> HTTPServerBuilder {
    HTTPServerBuilder { responder in
      EventLoopChannel(HTTP1Channel(responder: responder, configuration: .init(idleTimeout: TimeAmount(idleTimeout))))
    }
  }
}

/// A server channel whose requests are handled on the thread that reads and writes their connection.
///
/// The handlers of this server suspend where they wait for the store's writer or for a password's hash, and else only look up single
/// rows. On their connection's event loop a request is read, handled and answered without waking another thread in between.
struct EventLoopChannel<Base: ServerChildChannel>: ServerChildChannel {
  private let base: Base

  init(_ base: Base) {
    self.base = base
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
    self.base.setup(channel: channel, logger: logger)
  }

  func handle(value: Base.Value, logger: Logger) async {
    await withTaskExecutorPreference(EventLoopExecutor(loop: value.channel.eventLoop)) {
      await self.base.handle(value: value, logger: logger)
    }
  }
}

/// Runs tasks on an event loop.
private final class EventLoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(loop: any EventLoop) {
    self.loop = loop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    self.loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
