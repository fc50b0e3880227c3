import AsyncHTTPClient
public import HTTPTypes
import NIOCore
public import SallyportRemote

/// The transport for Linux and Windows, over AsyncHTTPClient.
///
/// It follows no redirect, keeps no cookie and decompresses nothing. Nothing is started before the first request: a program
/// that makes none pays neither threads nor a TLS context. Connections are closed by ``shutdown()``, or when the last copy goes.
public struct AsyncHTTPClientTransport: Transport {
  private let client: LazyClient

  /// - Parameters:
  ///   - trustRoots: files in PEM format whose certificates are trusted *instead* of the system's, for a private certificate
  ///     authority. They are read at the first request.
  ///   - connectTimeout: for the connection alone, TLS handshake included.
  public init(trustRoots: [String]? = nil, connectTimeout: Duration = .seconds(10)) {
    self.client = LazyClient(trustRoots: trustRoots, connectTimeout: connectTimeout)
  }

  init(client: LazyClient) {
    self.client = client
  }

  /// Runs the body with a transport that is closed when it ends.
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

  /// Closes all connections. Later requests fail as cancelled.
  public func shutdown() async {
    await self.client.shutdown()
  }

  public func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    if Task.isCancelled { throw .cancelled }
    let client = try self.client.running()
    let outgoing = HTTPClientRequest(request, body: body)
    // AsyncHTTPClient's own deadline ends with the head of the answer; this race covers the body too, and so stands for both.
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
      // The sleeper yields nil only when it was cancelled with everything else: then the exchange's own end is awaited.
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
      // A body that ends because its reader was cancelled is not a whole one.
      try Task.checkCancellation()
      return .success(TransportResponse(head: HTTPResponse(response), body: Array(body.readableBytesView)))
    } catch {
      return .failure(Task.isCancelled ? .cancelled : TransportError(error))
    }
  }
}
