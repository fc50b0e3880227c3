import NIOCore
import NIOSSL

/// Joins the parts of a response, such as its head and its body, so that TLS encrypts them as one record.
///
/// A record costs the server and the client about as much as the encryption of a short response. See
/// docs/decisions/0176-one-tls-record.md.
final class JoinedWrites: ChannelDuplexHandler {
  typealias InboundIn = NIOAny
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The maximum size of the plaintext of a record (RFC 8446 §5.1), in bytes. Longer writes are passed on unchanged.
  private static var maximumRecord: Int { 1 << 14 }

  /// The writes that wait for a flush.
  private var pending: ByteBuffer?
  private var promise: EventLoopPromise<Void>?

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var next = self.unwrapOutboundIn(data)
    if let pending, pending.readableBytes + next.readableBytes > Self.maximumRecord { self.writePending(context) }
    if self.pending == nil {
      self.pending = next
    } else {
      self.pending?.writeBuffer(&next)
    }
    guard let promise else { return }
    if let first = self.promise { first.futureResult.cascade(to: promise) } else { self.promise = promise }
  }

  func flush(context: ChannelHandlerContext) {
    self.writePending(context)
    context.flush()
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.discardPending()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.discardPending()
  }

  private func writePending(_ context: ChannelHandlerContext) {
    guard let pending = self.pending else { return }
    let promise = self.promise
    (self.pending, self.promise) = (nil, nil)
    context.write(self.wrapOutboundOut(pending), promise: promise)
  }

  private func discardPending() {
    self.promise?.fail(ChannelError.ioOnClosedChannel)
    (self.pending, self.promise) = (nil, nil)
  }
}
