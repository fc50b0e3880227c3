import NIOCore
import NIOHTTP1

/// Puts ``HTTP1Rules`` next to the parser of HTTP/1, and leaves.
///
/// Hummingbird lets handlers in only behind the translation of messages, for the streams of HTTP/2 as well, where there is no such parser.
final class HTTP1RulesPlacement: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

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
