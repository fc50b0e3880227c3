public import HTTPTypes
public import SallyportRemote
import Tracing

/// A transport that traces the requests that it sends through another transport. A span contains the method and the
/// host, but no path or query, which may contain secrets.
public struct TracedTransport: Transport {
  private let base: any Transport
  private let tracing: ServerTracing

  public init(_ base: any Transport, tracing: ServerTracing = .bootstrapped()) {
    self.base = base
    self.tracing = tracing
  }

  public func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    let attributes = ["http.request.method": request.method.rawValue, "server.address": request.authority ?? ""]
    return try await self.tracing.span("HTTP \(request.method.rawValue)", attributes: attributes, kind: .client) {
      () throws(TransportError) in try await self.base.send(request, body: body, limits: limits)
    }
  }
}
