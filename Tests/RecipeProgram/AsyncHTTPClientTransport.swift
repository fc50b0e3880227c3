import Foundation
import HTTPTypes
import Sallyport
import SallyportAsyncHTTPClient

/// Replaces the transport of the same name in the code of the pages with one that trusts the certificate authority of the
/// tests (`SSL_CERT_FILE`).
struct AsyncHTTPClientTransport: Transport {
  private let transport = SallyportAsyncHTTPClient.AsyncHTTPClientTransport(
    trustRoots: ProcessInfo.processInfo.environment["SSL_CERT_FILE"].map { [$0] })

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    try await self.transport.send(request, body: body, limits: limits)
  }
}
