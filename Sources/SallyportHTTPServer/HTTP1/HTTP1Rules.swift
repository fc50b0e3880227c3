import NIOCore
import NIOHTTP1

/// What HTTP/1 asks of a server beyond reading messages: a request names its host once, and a connection ends where one side says so.
///
/// It stands next to the parser, since what comes after knows neither the version of a message nor how often a field was sent. A request
/// that keeps the rules passes as it came.
final class HTTP1Rules: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private enum Input {
    /// There may be more requests.
    case open
    /// The request that comes in is the last one.
    case last
    /// Nothing that comes in is looked at.
    case over
  }

  private let maximumBody: Int
  private var input = Input.open
  /// Requests that have begun to come in and whose answers have not ended.
  private var unanswered = 0
  /// HTTP/1.0 closes where an answer does not say otherwise.
  private var closesByDefault = false
  /// The answer that is being written is the last one.
  private var isEnding = false

  init(maximumBody: Int) {
    self.maximumBody = maximumBody
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard self.input != .over else { return }
    switch Self.unwrapInboundIn(data) {
    case .head(let head): self.read(head, data, context)
    case .body: context.fireChannelRead(data)
    case .end:
      if self.input == .last { self.input = .over }
      context.fireChannelRead(data)
    }
  }

  private func read(_ head: HTTPRequestHead, _ data: NIOAny, _ context: ChannelHandlerContext) {
    let fields = FramingFields(of: head.headers)
    let isOld = head.version != .http1_1
    self.unanswered += 1
    guard fields.hosts == 1 || fields.hosts == 0 && isOld, fields.isHostValid else {
      // Answered with 400, after the answers to the requests before it, as what cannot be parsed is.
      self.input = .over
      return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
    }
    self.closesByDefault = isOld
    let isTooLarge = fields.contentLength > self.maximumBody
    // RFC 9112 §9.6. A body that is too large is not waited for, so nothing can come after it.
    if isTooLarge || !head.isKeepAlive { self.input = .last }
    guard fields.hasExpectation, isOld || isTooLarge else { return context.fireChannelRead(data) }
    // RFC 9110 §10.1.1: one of HTTP/1.0 is ignored, and nobody is told to go on with what is refused.
    var head = head
    head.headers.remove(name: "Expect")
    context.fireChannelRead(Self.wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch Self.unwrapOutboundIn(data) {
    case .head(let head) where head.status.code >= 200: self.write(head, data, context, promise)
    case .end where self.isEnding:
      self.input = .over
      context.writeAndFlush(data, promise: promise)
      // RFC 9112 §9.6: the other side is listened to until it closes, or the answer might be lost with what it is still sending.
      context.close(mode: .output, promise: nil)
    case .end:
      self.unanswered -= 1
      context.write(data, promise: promise)
    case .head, .body: context.write(data, promise: promise)
    }
  }

  private func write(
    _ head: HTTPResponseHead, _ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    self.isEnding = head.status == .payloadTooLarge || self.input != .open && self.unanswered <= 1
    guard self.isEnding || self.closesByDefault else { return context.write(data, promise: promise) }
    var head = head
    head.headers.replaceOrAdd(name: "Connection", value: self.isEnding ? "close" : "keep-alive")
    context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
  }
}
