import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

/// A transport for what strangers make the server fetch: so many at a time, so many in a minute, each small and soon.
///
/// One host gets a part of it only, so that many addresses on one host neither lock out the others nor flood that host; and so does
/// one client, where it is known whose address it is, since it can name many hosts that hang; and whoever lets the server fetch, since
/// anybody can register many clients.
final class BudgetedTransport: Transport {
  private struct State {
    var running = 0
    var sent = 0
    var since: Timestamp?
    /// Of each host, client and asker.
    var parts: [String: (running: Int, sent: Int)] = [:]
  }

  /// The way of one client and one asker.
  private struct Share: Transport {
    let budget: BudgetedTransport
    let parts: [String]

    func send(
      _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
    ) async throws(TransportError) -> TransportResponse {
      try await self.budget.send(request, body: body, limits: limits, parts: self.parts)
    }
  }

  private static let concurrent = 16
  private static let concurrentPerPart = 4
  private static let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(5))

  private let base: any Transport
  private let perMinute: Int
  private let now: TimeSource
  private var perMinuteAndPart: Int { max(4, self.perMinute / 4) }
  private let state = Mutex(State())

  init(_ base: any Transport, perMinute: Int, now: @escaping TimeSource) {
    self.base = base
    self.perMinute = perMinute
    self.now = now
  }

  /// - Parameter asker: whose request it is for; one without an address has no part of its own.
  func share(of client: ClientID, for asker: ClientAddress) -> any Transport {
    let address = asker.network.map { String($0) }.joined(separator: ".")
    return Share(budget: self, parts: ["client \(client.rawValue)"] + (address.isEmpty ? [] : ["asker \(address)"]))
  }

  func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(TransportError) -> TransportResponse {
    try await self.send(request, body: body, limits: limits, parts: [])
  }

  private func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits, parts: [String]
  ) async throws(TransportError) -> TransportResponse {
    let parts = ["host \(request.authority?.lowercased() ?? "")"] + parts
    guard self.begin(parts) else { throw .unreachable(reason: "too many addresses of strangers are being opened") }
    defer { self.end(parts) }
    let limits = TransferLimits(
      maximumBodySize: min(limits.maximumBodySize, Self.limits.maximumBodySize), timeout: min(limits.timeout, Self.limits.timeout)
    )
    return try await self.base.send(request, body: body, limits: limits)
  }

  private func end(_ parts: [String]) {
    self.state.withLock { state in
      state.running -= 1
      for part in parts { state.parts[part]?.running -= 1 }
    }
  }

  private func begin(_ parts: [String]) -> Bool {
    let now = self.now()
    return self.state.withLock { state in
      if state.since.map({ !(.zero..<Duration.seconds(60)).contains(now - $0) }) ?? true {
        state.since = now
        state.sent = 0
        state.parts = state.parts.filter { $0.value.running > 0 }.mapValues { ($0.running, 0) }
      }
      guard state.running < Self.concurrent, state.sent < self.perMinute else { return false }
      for part in parts {
        let (running, sent) = state.parts[part] ?? (0, 0)
        guard running < Self.concurrentPerPart, sent < self.perMinuteAndPart else { return false }
      }
      for part in parts {
        let (running, sent) = state.parts[part] ?? (0, 0)
        state.parts[part] = (running + 1, sent + 1)
      }
      state.running += 1
      state.sent += 1
      return true
    }
  }
}
