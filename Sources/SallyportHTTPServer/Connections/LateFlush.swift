import NIOCore

/// Sends what is written on a connection when the others whose requests came in the same round of its event loop have had their turn too.
///
/// Whoever waits for several answers then finds them together and is woken once, not for each: that is a third more answers in a second
/// where there are many connections (see `docs/performance.md`).
final class LateFlush: ChannelOutboundHandler {
  typealias OutboundIn = NIOAny

  private var isDue = false

  func flush(context: ChannelHandlerContext) {
    guard !self.isDue else { return }
    self.isDue = true
    context.eventLoop.assumeIsolated().execute { self.flushNow(context) }
  }

  /// Nothing that was written before is lost.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    self.flushNow(context)
    context.close(mode: mode, promise: promise)
  }

  private func flushNow(_ context: ChannelHandlerContext) {
    guard self.isDue else { return }
    self.isDue = false
    context.flush()
  }
}
