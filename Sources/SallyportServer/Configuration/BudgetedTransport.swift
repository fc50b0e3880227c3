import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

/// A transport for what strangers make the server fetch: so many at a time, so many in a minute, each small and soon.
final class BudgetedTransport: Transport {
  private struct State {
    var running = 0
    var sent = 0
    var since: Timestamp?
  }

  private static let concurrent = 16
  private static let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(5))

  private let base: any Transport
  private let perMinute: Int
  private let now: TimeSource
  private let state = Mutex(State())

  init(_ base: any Transport, perMinute: Int, now: @escaping TimeSource) {
    self.base = base
    self.perMinute = perMinute
    self.now = now
  }

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    guard self.begin() else { throw .unreachable(reason: "too many addresses of strangers are being opened") }
    defer { self.state.withLock { $0.running -= 1 } }
    return try await self.base.send(request, body: body, limits: Self.limits)
  }

  private func begin() -> Bool {
    let now = self.now()
    return self.state.withLock { state in
      if state.since.map({ !(.zero..<Duration.seconds(60)).contains(now - $0) }) ?? true {
        state.since = now
        state.sent = 0
      }
      guard state.running < Self.concurrent, state.sent < self.perMinute else { return false }
      state.running += 1
      state.sent += 1
      return true
    }
  }
}
