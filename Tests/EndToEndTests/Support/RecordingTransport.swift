import HTTPTypes
import SallyportRemote
import Synchronization

/// A transport that records the `Location` and `Set-Cookie` fields of responses.
final class RecordingTransport: Transport {
  private let base: any Transport
  private let responses = Mutex<[HTTPResponse]>([])

  init(_ base: any Transport) {
    self.base = base
  }

  var locations: [String] { self.responses.withLock { $0.compactMap { $0.headerFields[.location] } } }
  var cookies: [String] { self.responses.withLock { $0.flatMap { $0.headerFields[values: .setCookie] } } }

  func send(_ request: HTTPRequest, body: [UInt8], limits: TransferLimits) async throws(TransportError) -> TransportResponse {
    let response = try await self.base.send(request, body: body, limits: limits)
    self.responses.withLock { $0.append(response.head) }
    return response
  }
}
