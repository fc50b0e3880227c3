import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

/// A transport for the requests to one upstream. It limits the time of each request, the size of each response, and how many
/// requests are in progress, so that a slow provider cannot use up the resources of the server.
final class UpstreamTransport: Transport {
  private static let limits = TransferLimits(maximumBodySize: 256 << 10, timeout: .seconds(5))
  /// The maximum number of requests that are in progress.
  static let maximumRequests = 16

  private let base: any Transport
  private let requestsInProgress = Mutex(0)

  init(_ base: any Transport) {
    self.base = base
  }

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    let isAdmitted = self.requestsInProgress.withLock { requestsInProgress in
      guard requestsInProgress < Self.maximumRequests else { return false }
      requestsInProgress += 1
      return true
    }
    guard isAdmitted else { throw .unreachable(reason: "too many requests to this provider are in progress") }
    defer { self.requestsInProgress.withLock { $0 -= 1 } }
    let limits = TransferLimits(
      maximumBodySize: min(limits.maximumBodySize, Self.limits.maximumBodySize), timeout: min(limits.timeout, Self.limits.timeout)
    )
    let base = self.base
    return try await limits.enforcingTimeout {
      do throws(TransportError) { return .success(try await base.send(request, body: body, limits: limits)) } catch {
        return .failure(error)
      }
    }
  }
}
