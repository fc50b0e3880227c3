import NIOCore
import NIOPosix
import Synchronization

/// A proxy that connects every request to one port of this machine, whatever host the request names.
package final class ConnectProxy: Sendable {
  private let heads = Mutex<[String]>([])

  /// The head of each `CONNECT` request, in order.
  package var requestHeads: [String] { self.heads.withLock { $0 } }

  /// Runs the proxy on a free port while `body` runs, and passes the proxy and that port to `body`.
  /// - Parameter target: The port of this machine to which the proxy connects.
  package static func run<R: Sendable>(
    to target: Int, _ body: @escaping @Sendable (ConnectProxy, _ proxyPort: Int) async throws -> R
  ) async throws -> R {
    let proxy = ConnectProxy()
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(host: "127.0.0.1", port: 0) {
      Self.channel($0)
    }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await withThrowingDiscardingTaskGroup { connections in
          try await server.executeThenClose { inbound in
            for try await client in inbound { connections.addTask { try? await proxy.serve(client, target) } }
          }
        }
      }
      defer { group.cancelAll() }
      return try await body(proxy, server.channel.localAddress?.port ?? 0)
    }
  }

  private func serve(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ target: Int) async throws {
    try await client.executeThenClose { fromClient, toClient in
      var bytesFromClient = fromClient.makeAsyncIterator()
      var head = ""
      while !head.hasSuffix("\r\n\r\n"), let next = try await bytesFromClient.next() { head += String(buffer: next) }
      self.heads.withLock { $0.append(head) }
      let server = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: target) { Self.channel($0) }
      try await server.executeThenClose { fromServer, toServer in
        try await toClient.write(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"))
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for try await bytes in fromServer { try await toClient.write(bytes) }
            // The target has closed its connection. The client then closes its own, which ends the loop below.
            toClient.finish()
          }
          while let bytes = try await bytesFromClient.next() { try await toServer.write(bytes) }
          group.cancelAll()
        }
      }
    }
  }

  private static func channel(_ channel: any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> {
    channel.eventLoop.makeCompletedFuture {
      // With half closure, the end of a writer closes that direction of the connection.
      try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
  }
}
