import NIOCore

/// Delays the flushes of a connection until the event loop has handled the other requests that arrived in the same
/// tick.
///
/// A client with many connections then receives several responses at once and wakes once for all of them, which
/// increases throughput by up to a third. See docs/decisions/0032-flush-after-the-round.md.
final class LateFlush: ChannelOutboundHandler {
  typealias OutboundIn = NIOAny

  private var isFlushScheduled = false

  func flush(context: ChannelHandlerContext) {
    guard !self.isFlushScheduled else { return }
    self.isFlushScheduled = true
    context.eventLoop.assumeIsolated().execute { self.flushNow(context) }
  }

  /// Flushes before closing, so that no pending writes are lost.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    self.flushNow(context)
    context.close(mode: mode, promise: promise)
  }

  private func flushNow(_ context: ChannelHandlerContext) {
    guard self.isFlushScheduled else { return }
    self.isFlushScheduled = false
    context.flush()
  }
}
