import HTTPTypes
import SallyportRemote

/// A transport that waits no longer than a moment, so that a server which never answers costs a test no time.
struct HastyTransport: Transport {
  let transport: any Transport

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    var limits = limits
    limits.timeout = min(limits.timeout, .seconds(2))
    return try await self.transport.send(request, body: body, limits: limits)
  }
}
