import AsyncHTTPClient
public import HTTPTypes
import NIOCore
public import SallyportRemote

/// The transport for Linux and Windows, based on AsyncHTTPClient.
///
/// It follows no redirects, stores no cookies, and doesn't decompress responses. Threads and the TLS context are
/// created with the first request. An idle connection is closed after five seconds. All connections are closed by
/// ``shutdown()``, or when the last copy of the transport is released.
///
/// By default, the environment variables `HTTPS_PROXY`, `HTTP_PROXY`, and `NO_PROXY` determine the proxy; see
/// ``ProxySettings``.
public struct AsyncHTTPClientTransport: Transport {
  private let clients: LazyClients

  /// Creates a transport.
  /// - Parameters:
  ///   - trustRoots: PEM files with root certificates that are trusted *instead* of the system's, for a private
  ///     certificate authority. They are read with the first request.
  ///   - connectTimeout: The timeout for establishing a connection, including the TLS handshake.
  ///   - proxies: Which requests go through a proxy.
  public init(
    trustRoots: [String]? = nil, connectTimeout: Duration = .seconds(10), proxies: ProxySettings = .environment
  ) {
    self.clients = LazyClients(trustRoots: trustRoots, connectTimeout: connectTimeout, proxies: proxies)
  }

  init(client: LazyClient) {
    self.clients = LazyClients(direct: client)
  }

  /// Runs the closure with a transport that is shut down afterward.
  public static func withTransport<Result>(
    trustRoots: [String]? = nil, connectTimeout: Duration = .seconds(10), proxies: ProxySettings = .environment,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (AsyncHTTPClientTransport) async throws -> Result
  ) async rethrows -> Result {
    let transport = AsyncHTTPClientTransport(trustRoots: trustRoots, connectTimeout: connectTimeout, proxies: proxies)
    do {
      let result = try await body(transport)
      await transport.shutdown()
      return result
    } catch {
      await transport.shutdown()
      throw error
    }
  }

  /// Closes all connections. Later requests throw ``TransportError/cancelled``.
  public func shutdown() async {
    await self.clients.shutdown()
  }

  public func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    if Task.isCancelled { throw .cancelled }
    let client = try self.clients.client(for: request)
    let outgoing = HTTPClientRequest(request, body: body)
    // AsyncHTTPClient's deadline covers only the head of the response. This timeout covers the body too.
    return try await limits.enforcingTimeout { await Self.exchange(outgoing, over: client, limits: limits) }
  }

  private static func exchange(
    _ request: HTTPClientRequest, over client: HTTPClient, limits: TransferLimits
  ) async -> Result<TransportResponse, TransportError> {
    do {
      let response = try await client.execute(request, deadline: .distantFuture)
      let body = try await response.body.collect(upTo: limits.maximumBodySize)
      // If the task was canceled while the body was read, the body is incomplete.
      try Task.checkCancellation()
      return .success(TransportResponse(head: HTTPResponse(response), body: Array(body.readableBytesView)))
    } catch {
      return .failure(Task.isCancelled ? .cancelled : TransportError(error))
    }
  }
}
