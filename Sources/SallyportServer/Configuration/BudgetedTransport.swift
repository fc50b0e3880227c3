import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

/// A transport for what strangers make the server fetch: so many at a time, so many in a minute, each small and soon.
///
/// One host gets a part of it only, so that many addresses on one host neither lock out the others nor flood that host.
final class BudgetedTransport: Transport {
  private struct State {
    var running = 0
    var sent = 0
    var since: Timestamp?
    var hosts: [String: (running: Int, sent: Int)] = [:]
  }

  private static let concurrent = 16
  private static let concurrentPerHost = 4
  private static let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(5))

  private let base: any Transport
  private let perMinute: Int
  private let now: TimeSource
  private var perMinuteAndHost: Int { max(4, self.perMinute / 4) }
  private let state = Mutex(State())

  init(_ base: any Transport, perMinute: Int, now: @escaping TimeSource) {
    self.base = base
    self.perMinute = perMinute
    self.now = now
  }

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    let host = request.authority?.lowercased() ?? ""
    guard self.begin(host) else { throw .unreachable(reason: "too many addresses of strangers are being opened") }
    defer { self.end(host) }
    let limits = TransferLimits(
      maximumBodySize: min(limits.maximumBodySize, Self.limits.maximumBodySize), timeout: min(limits.timeout, Self.limits.timeout)
    )
    return try await self.base.send(request, body: body, limits: limits)
  }

  private func end(_ host: String) {
    self.state.withLock { state in
      state.running -= 1
      state.hosts[host]?.running -= 1
    }
  }

  private func begin(_ host: String) -> Bool {
    let now = self.now()
    return self.state.withLock { state in
      if state.since.map({ !(.zero..<Duration.seconds(60)).contains(now - $0) }) ?? true {
        state.since = now
        state.sent = 0
        state.hosts = state.hosts.filter { $0.value.running > 0 }.mapValues { ($0.running, 0) }
      }
      guard state.running < Self.concurrent, state.sent < self.perMinute else { return false }
      let (running, sent) = state.hosts[host] ?? (0, 0)
      guard running < Self.concurrentPerHost, sent < self.perMinuteAndHost else { return false }
      state.hosts[host] = (running + 1, sent + 1)
      state.running += 1
      state.sent += 1
      return true
    }
  }
}
