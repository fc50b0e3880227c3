import NIOCore
import NIOHTTP1

/// Enforces two rules of HTTP/1 that the parser does not check:
/// - A request has exactly one valid `Host` field (in HTTP/1.0, at most one).
/// - A connection ends after the current request if the client asks the server to close it, or sends a body that is too
///   large.
///
/// This handler is next to the parser, because later handlers see neither the HTTP version of a message nor how many
/// `Host` fields it had. Valid requests pass unchanged, except that an `Expect` field is removed if the server ignores
/// it.
final class HTTP1Rules: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private enum Input {
    /// More requests may follow.
    case open
    /// The current request is the last one.
    case last
    /// All further input is ignored.
    case over
  }

  /// The size of the largest body that the server accepts, in bytes.
  private let maximumBody: Int
  private var input = Input.open
  /// The number of requests whose response is not complete.
  private var openResponses = 0
  /// Whether the client expects the connection to close unless the response has `Connection: keep-alive`. True after a
  /// request in HTTP/1.0.
  private var closesByDefault = false
  /// Whether the current response is the last one.
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
    let isHTTP10 = head.version != .http1_1
    self.openResponses += 1
    guard fields.hosts == 1 || (fields.hosts == 0 && isHTTP10), fields.isHostValid else {
      // The response is 400, as for a request that cannot be parsed. It follows the responses to earlier requests.
      self.input = .over
      return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
    }
    self.closesByDefault = isHTTP10
    let isTooLarge = fields.contentLength > self.maximumBody
    // RFC 9112 §9.6. The server does not wait for a body that is too large, so no request can follow it.
    if isTooLarge || !head.isKeepAlive { self.input = .last }
    guard fields.hasExpectation, isHTTP10 || isTooLarge else { return context.fireChannelRead(data) }
    // RFC 9110 §10.1.1: the server ignores `Expect` in HTTP/1.0, and does not request a body that it will reject.
    var head = head
    head.headers.remove(name: "Expect")
    context.fireChannelRead(Self.wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch Self.unwrapOutboundIn(data) {
    // A response with a lower status is informational, and the final response follows.
    case .head(let head) where head.status.code >= 200: self.write(head, data, context, promise)
    case .end where self.isEnding:
      self.input = .over
      context.writeAndFlush(data, promise: promise)
      // RFC 9112 §9.6: only the output is closed. If the server stopped reading too, the client could lose the
      // response.
      context.close(mode: .output, promise: nil)
    case .end:
      self.openResponses -= 1
      context.write(data, promise: promise)
    case .head, .body: context.write(data, promise: promise)
    }
  }

  private func write(
    _ head: HTTPResponseHead, _ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    let isLastOpenResponse = self.input != .open && self.openResponses <= 1
    self.isEnding = head.status == .payloadTooLarge || isLastOpenResponse
    guard self.isEnding || self.closesByDefault else { return context.write(data, promise: promise) }
    var head = head
    head.headers.replaceOrAdd(name: "Connection", value: self.isEnding ? "close" : "keep-alive")
    context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
  }
}
