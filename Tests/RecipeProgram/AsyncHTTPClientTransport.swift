import Foundation
import HTTPTypes
import Sallyport
import SallyportAsyncHTTPClient

/// What the pages mean by this name, with the certificate authority of the tests (`SSL_CERT_FILE`).
struct AsyncHTTPClientTransport: Transport {
  private let transport = SallyportAsyncHTTPClient.AsyncHTTPClientTransport(
    trustRoots: ProcessInfo.processInfo.environment["SSL_CERT_FILE"].map { [$0] })

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    try await self.transport.send(request, body: body, limits: limits)
  }
}
