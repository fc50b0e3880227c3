import HTTPTypes
public import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
public import NIOSSL

extension HTTPServerBuilder {
  /// Serves HTTP/1.1, and with TLS also HTTP/2. Each request is handled on the event loop of its connection.
  /// - Parameters:
  ///   - proxies: The trusted proxies, whose connections are not limited by address.
  ///   - tls: Nil for HTTP without TLS, for example behind a proxy that terminates TLS.
  public static func onEventLoops(
    limits: ConnectionLimits = ConnectionLimits(), proxies: TrustedProxies = .none, tls: TLSConfiguration? = nil
  ) -> HTTPServerBuilder {
    self.onEventLoops(Connections(limits: limits, proxies: proxies), tls: tls)
  }

  /// Serves like ``onEventLoops(limits:proxies:tls:)``, with connections that the caller can count.
  package static func onEventLoops(_ connections: Connections, tls: TLSConfiguration? = nil) -> HTTPServerBuilder {
    // `Connections` enforces the time limits, because Hummingbird's own timeouts restart with each part of a body.
    // `BodyPace` counts the bytes of a body for `Connections`. `HTTP1RulesPlacement` adds stricter checks of HTTP/1.1.
    let stream = HTTP1Channel.Configuration(
      additionalChannelHandlers: [HTTP1RulesPlacement(maximumBody: Request.maximumBody), BodyPace()],
      httpDecoderConfiguration: .init(maxHeaderFieldSize: 32 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 128))
    return HTTPServerBuilder { responder in
      let limited = Self.limitingConnections(responder)
      guard let tls else {
        return EventLoopChannel(HTTP1Channel(responder: limited, configuration: stream), connections)
      }
      return EventLoopChannel(
        try HTTP2UpgradeChannel(tlsConfiguration: tls, configuration: .init(streamConfiguration: stream), responder: limited),
        connections)
    }
  }

  /// Responds with 503 if the connection exceeds the limit for served connections, in total or from its address.
  /// Otherwise, records the start and the end of the request.
  private static func limitingConnections(_ responder: @escaping HTTPChannelHandler.Responder) -> HTTPChannelHandler.Responder {
    { request, writer, channel in
      // `EventLoopChannel` sets the connection. Without a connection, the request is not limited.
      guard let connection = Connection.current else { return try await responder(request, writer, channel) }
      if connection.isExcess {
        // RFC 9110 §15.6.4. The connection is closed afterward. HTTP/2 has no `Connection` field (RFC 9113 §8.2.2).
        var fields: HTTPFields = [.retryAfter: "5", .contentLength: "0"]
        if !connection.isStream(channel) { fields[.connection] = "close" }
        try await writer.writeResponse(HTTPResponse(status: .serviceUnavailable, headerFields: fields))
        throw TooManyConnections()
      }
      connection.begin(channel, at: .now())
      defer { connection.end(channel, at: .now()) }
      if request.expectsContinue { try await writer.writeInformationalHead(HTTPResponse(status: .continue)) }
      try await responder(request, writer, channel)
    }
  }
}

/// Thrown to end a connection beyond the limit.
private struct TooManyConnections: Error {}

/// A server channel that limits its connections, and handles requests on the event loop of their connection.
///
/// A request is then read, handled, and completed on one thread, except for the work that its handler moves to another
/// thread. Handlers must not block the event loop for long.
struct EventLoopChannel<Base: ServerChildChannel>: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let base: Base.Value
    let connection: Connection

    var channel: any Channel { self.base.channel }
  }

  private let base: Base
  private let connections: Connections

  init(_ base: Base, _ connections: Connections) {
    self.base = base
    self.connections = connections
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    // `add` returns nil if the peer's address even exceeds the limit for accepted connections. Such a connection is
    // closed without a response.
    guard let connection = self.connections.add(channel, logger: logger) else {
      channel.close(mode: .all, promise: nil)
      return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
    }
    // If requests arrive together, `LateFlush` sends their responses together too.
    do { try channel.pipeline.syncOperations.addHandler(LateFlush(), position: .first) } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
    let value = self.base.setup(channel: channel, logger: logger).map { Value(base: $0, connection: connection) }
    // With TLS, `setup` has added the TLS handler, even if the handshake is not over.
    let pipeline = channel.pipeline.syncOperations
    if let tls = try? pipeline.handler(type: NIOSSLServerHandler.self) {
      do { try pipeline.addHandler(JoinedWrites(), position: .after(tls)) } catch {
        return channel.eventLoop.makeFailedFuture(error)
      }
    }
    return value
  }

  func handle(value: Value, logger: Logger) async {
    await withTaskExecutorPreference(EventLoopExecutor(loop: value.channel.eventLoop)) {
      await Connection.$current.withValue(value.connection) { await self.base.handle(value: value.base, logger: logger) }
    }
  }
}
