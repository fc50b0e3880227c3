import HTTPTypes
import SallyportRemote

/// A transport with timeouts of at most two seconds, so that tests don't wait long for a server that never responds.
struct ShortTimeoutTransport: Transport {
  let transport: any Transport

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    var limits = limits
    limits.timeout = min(limits.timeout, .seconds(2))
    return try await self.transport.send(request, body: body, limits: limits)
  }
}
