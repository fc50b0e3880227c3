public import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
public import NIOSSL

extension HTTPServerBuilder {
  /// HTTP/1.1, and with TLS HTTP/2 as well, each request handled on the event loop of its connection.
  /// - Parameter tls: nil for a server whose TLS ends before it.
  public static func onEventLoops(idleTimeout: Duration, tls: TLSConfiguration? = nil) -> HTTPServerBuilder {
    let idle = TimeAmount(idleTimeout)
    return HTTPServerBuilder { responder in
      guard let tls else {
        return EventLoopChannel(HTTP1Channel(responder: responder, configuration: .init(idleTimeout: idle)))
      }
      let configuration = HTTP2ChannelConfiguration(idleTimeout: idleTimeout, streamConfiguration: .init(idleTimeout: idle))
      return EventLoopChannel(
        try HTTP2UpgradeChannel(tlsConfiguration: tls, configuration: configuration, responder: responder))
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
