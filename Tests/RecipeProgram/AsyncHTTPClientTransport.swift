import Foundation
import HTTPTypes
import Sallyport
import SallyportAsyncHTTPClient

/// The transport of the documentation's code examples, which are compiled into this program. It hides the imported type
/// of the same name, and trusts the tests' certificate authority (`SSL_CERT_FILE`).
struct AsyncHTTPClientTransport: Transport {
  private let transport = SallyportAsyncHTTPClient.AsyncHTTPClientTransport(
    trustRoots: ProcessInfo.processInfo.environment["SSL_CERT_FILE"].map { [$0] })

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    try await self.transport.send(request, body: body, limits: limits)
  }
}
