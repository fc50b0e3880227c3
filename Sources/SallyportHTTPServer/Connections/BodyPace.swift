import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Counts the bytes of a request's body as they arrive, so that ``Connection`` can end a request whose body arrives too
/// slowly.
final class BodyPace: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  /// The progress of the current body, which other threads may read.
  final class Progress: Sendable {
    private let count = Atomic(-1)

    /// The number of bytes received; nil if no body is arriving.
    var received: Int? {
      let count = self.count.load(ordering: .relaxed)
      return count < 0 ? nil : count
    }

    fileprivate func begin() { self.count.store(0, ordering: .relaxed) }
    fileprivate func add(_ bytes: Int) { self.count.wrappingAdd(bytes, ordering: .relaxed) }
    fileprivate func end() { self.count.store(-1, ordering: .relaxed) }
  }

  let progress = Progress()

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch Self.unwrapInboundIn(data) {
    case .head: self.progress.begin()
    case .body(let part): self.progress.add(part.readableBytes)
    case .end: self.progress.end()
    }
    context.fireChannelRead(data)
  }
}
