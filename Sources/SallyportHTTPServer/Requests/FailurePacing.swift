package import Hummingbird
package import NIOCore
import Synchronization

/// Delays responses to an address whose requests keep failing, so that a flood of failures leaves processor time for
/// others (rule S-42).
///
/// Rejecting a request costs processor time. A delayed response costs only memory and the caller's own connection, and
/// an HTTP/1 caller that waits for the response sends nothing new on that connection. Error pages and responses with
/// status 429 are delayed. Other error responses are not, because a resource server or gateway with many users receives
/// them regularly.
///
/// Requests through a trusted proxy are not delayed, because all clients of a proxy share its connections.
///
/// The `RateLimiter` of SallyportServer is not used here, because it rejects requests instead of delaying them, uses
/// wall-clock time instead of monotonic time, and belongs to a module that `SallyportHTTPServer` does not depend on.
package struct FailurePacing: Sendable {
  private final class Schedule: Sendable {
    /// For each address, the time until which its counted failures use up the allowed rate. If this time is in the
    /// future, the address is ahead of the rate by the time until then.
    let entries = Mutex<[[UInt8]: NIODeadline]>([:])
  }

  /// How far ahead of the allowed rate an address can be before its responses are delayed.
  static let burst = TimeAmount.seconds(2)
  /// The longest delay of a response. With a longer delay, some clients would time out, retry, and add to the flood.
  static let longestDelay = TimeAmount.seconds(2)
  /// The number of addresses that are remembered. When it is reached, addresses that are no longer ahead of the rate
  /// are forgotten. New addresses are not delayed while none can be forgotten.
  private static let capacity = 16_384

  private let interval: TimeAmount
  private let proxies: TrustedProxies
  private let now: @Sendable () -> NIODeadline
  private let sleep: @Sendable (TimeAmount) async throws -> Void
  private let schedule = Schedule()

  /// - Parameters:
  ///   - perSecond: The number of failures per second that an address can keep causing without a delay.
  ///   - proxies: The trusted proxies, whose requests are not delayed.
  package init(
    perSecond: Int, proxies: TrustedProxies, now: @escaping @Sendable () -> NIODeadline = { .now() },
    sleep: @escaping @Sendable (TimeAmount) async throws -> Void = { try await Task.sleep(for: .nanoseconds($0.nanoseconds)) }
  ) {
    self.interval = .nanoseconds(1_000_000_000 / Int64(max(1, perSecond)))
    self.proxies = proxies
    self.now = now
    self.sleep = sleep
  }

  /// Counts an error page or a response with status 429, unless it is sent through a trusted proxy.
  /// - Returns: How long to wait before the response is sent; nil if it is sent immediately.
  package func delay(of response: Response, _ context: ServerRequestContext) -> TimeAmount? {
    guard response.isPaced, let peer = context.peer, !self.proxies.contains(peer.unmapped) else { return nil }
    let delay = self.delay(for: context.remoteAddress.network)
    return delay > .zero ? delay : nil
  }

  /// Waits before a delayed response is sent. If the server is stopping, the task is canceled and the wait ends.
  package func wait(_ delay: TimeAmount) async { try? await self.sleep(delay) }

  /// Counts a failure.
  /// - Returns: How long its response must wait.
  private func delay(for network: [UInt8]) -> TimeAmount {
    guard !network.isEmpty else { return .zero }
    let now = self.now()
    return self.schedule.entries.withLock { entries in
      if entries[network] == nil, entries.count >= Self.capacity {
        entries = entries.filter { $0.value > now }
        guard entries.count < Self.capacity else { return .zero }
      }
      let used = max(entries[network] ?? now, now)
      let delay = used - now - Self.burst
      // A failure with the longest delay is not counted, so that the delays end soon after the flood.
      guard delay < Self.longestDelay else { return Self.longestDelay }
      entries[network] = used + self.interval
      return max(delay, .zero)
    }
  }
}

extension Response {
  fileprivate var isPaced: Bool {
    self.status == .tooManyRequests
      || self.status.code >= 400 && self.headers[.contentType]?.hasPrefix("text/html") == true
  }
}
