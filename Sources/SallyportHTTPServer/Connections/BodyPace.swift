import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Counts the bytes of a request's body as they come in, for ``Connection``, which closes what comes too slowly.
final class BodyPace: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  /// What other threads see of it.
  final class Progress: Sendable {
    private let count = Atomic(-1)

    /// Bytes of the body so far; nil while none is awaited.
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
