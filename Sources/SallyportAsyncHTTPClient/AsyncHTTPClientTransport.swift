import AsyncHTTPClient
public import HTTPTypes
import NIOCore
public import SallyportRemote

/// The transport for Linux and Windows, based on AsyncHTTPClient.
///
/// It follows no redirects, stores no cookies, and doesn't decompress responses. Threads and the TLS context are
/// created with the first request. Connections are closed by ``shutdown()``, or when the last copy is released.
public struct AsyncHTTPClientTransport: Transport {
  private let client: LazyClient

  /// Creates a transport.
  /// - Parameters:
  ///   - trustRoots: PEM files with root certificates that are trusted *instead* of the system's, for a private
  ///     certificate authority. They are read with the first request.
  ///   - connectTimeout: The timeout for establishing a connection, including the TLS handshake.
  public init(trustRoots: [String]? = nil, connectTimeout: Duration = .seconds(10)) {
    self.client = LazyClient(trustRoots: trustRoots, connectTimeout: connectTimeout)
  }

  init(client: LazyClient) {
    self.client = client
  }

  /// Runs the closure with a transport that is shut down afterward.
  public static func withTransport<Result>(
    trustRoots: [String]? = nil, connectTimeout: Duration = .seconds(10), isolation: isolated (any Actor)? = #isolation,
    _ body: (AsyncHTTPClientTransport) async throws -> Result
  ) async rethrows -> Result {
    let transport = AsyncHTTPClientTransport(trustRoots: trustRoots, connectTimeout: connectTimeout)
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
    await self.client.shutdown()
  }

  public func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    if Task.isCancelled { throw .cancelled }
    let client = try self.client.running()
    let outgoing = HTTPClientRequest(request, body: body)
    // AsyncHTTPClient's deadline covers only the head of the response. This timeout covers the body too.
    let outcome = await withTaskGroup(of: Result<TransportResponse, TransportError>?.self) { group in
      group.addTask { await Self.exchange(outgoing, over: client, limits: limits) }
      group.addTask {
        do {
          try await Task.sleep(for: limits.timeout)
          return .failure(.timedOut)
        } catch {
          return nil
        }
      }
      // The timer returns nil only if the whole group was canceled. Then the exchange's own result follows.
      var outcome: Result<TransportResponse, TransportError>?
      while outcome == nil, let next = await group.next() { outcome = next }
      group.cancelAll()
      return outcome ?? .failure(.cancelled)
    }
    return try outcome.get()
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
