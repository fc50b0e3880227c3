import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

/// A transport for the requests to one upstream. It limits the time of each request, the size of each response, and how
/// many requests are in progress, so that a slow provider cannot use up the resources of the server.
final class UpstreamTransport: Transport {
  private static let limits = TransferLimits(maximumBodySize: 256 << 10, timeout: .seconds(5))
  /// The maximum number of requests that are in progress.
  static let maximumRequests = 16

  private let base: any Transport
  private let slots = Mutex(Slots(UpstreamTransport.maximumRequests))

  init(_ base: any Transport) {
    self.base = base
  }

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    guard self.slots.withLock({ $0.take() }) else {
      throw .unreachable(reason: "too many requests to this provider are in progress")
    }
    defer { self.slots.withLock { $0.release() } }
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
