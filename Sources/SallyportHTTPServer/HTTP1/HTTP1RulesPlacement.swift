import NIOCore
import NIOHTTP1

/// Adds ``HTTP1Rules`` after the HTTP/1 parser, and removes itself.
///
/// This is necessary because Hummingbird adds custom handlers only after its own handler that converts messages.
/// Hummingbird also adds custom handlers to HTTP/2 streams, which have no HTTP/1 parser and need no rules.
final class HTTP1RulesPlacement: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  /// The size of the largest body that the server accepts, in bytes.
  private let maximumBody: Int

  init(maximumBody: Int) {
    self.maximumBody = maximumBody
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    if let parser = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) {
      do { try pipeline.addHandler(HTTP1Rules(maximumBody: self.maximumBody), position: .after(parser)) } catch {
        context.fireErrorCaught(error)
      }
    }
    pipeline.removeHandler(context: context, promise: nil)
  }
}
