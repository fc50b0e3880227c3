import Logging
import NIOCore
import Synchronization

/// The open connections of a server. Closes them when their time limits have passed.
///
/// One repeated task checks all connections every second, so that requests need no timers.
package final class Connections: Sendable {
  private struct State {
    var open: [ObjectIdentifier: Connection] = [:]
    /// The number of connections whose requests are served. All other open connections exceed a limit and get 503.
    var served = 0
    /// The number of open connections from each network (``RemoteAddress/network``), for the limits per address.
    var perNetwork: [[UInt8]: Int] = [:]
    var sweeper: RepeatedTask?
    /// When the last warning about each limit was logged.
    var warnedAt: [ReachedLimit: NIODeadline] = [:]
  }

  /// A limit that a new connection exceeds.
  private enum ReachedLimit {
    case total, servedPerAddress, acceptedPerAddress

    var warning: Logger.Message {
      switch self {
      case .total: "connection limit reached, responding with 503"
      case .servedPerAddress: "connection limit of an address reached, responding with 503"
      case .acceptedPerAddress: "an address has too many connections, closing more of them without a response"
      }
    }
  }

  /// The minimum time between two warnings about the same limit, so that clients cannot fill the log.
  static var warningInterval: TimeAmount { .minutes(1) }

  let limits: ConnectionLimits
  private let proxies: TrustedProxies
  private let state = Mutex(State())

  /// - Parameter proxies: The trusted proxies, whose connections are not counted by address.
  package init(limits: ConnectionLimits, proxies: TrustedProxies = .none) {
    self.limits = limits
    self.proxies = proxies
  }

  /// The number of open connections.
  package var count: Int { self.state.withLock { $0.open.count } }

  /// For each request whose body is still arriving, the number of bytes received.
  var awaitedBodies: [Int] { self.state.withLock { $0.open.values.map(\.self) }.flatMap(\.awaitedBodies) }

  /// Adds a connection, which is removed when its channel is closed. If the connection exceeds a limit, logs a warning,
  /// at most once per ``warningInterval`` and limit.
  /// - Returns: Nil if the peer's address has too many connections. In that case, close the channel without a response.
  func add(_ channel: any Channel, logger: Logger, at now: NIODeadline = .now()) -> Connection? {
    let address = RemoteAddress(channel.remoteAddress)
    let network = self.countedNetwork(of: channel, address)
    let (connection, warning) = self.state.withLock { self.add(channel, address, network, to: &$0, at: now) }
    if let warning {
      logger.warning(
        warning,
        metadata: ["limit": "\(self.limits.maximum)", "limit-per-address": "\(self.limits.servedPerAddress)"])
    }
    guard let connection else { return nil }
    channel.closeFuture.whenComplete { _ in self.remove(ObjectIdentifier(channel), network, wasServed: !connection.isExcess) }
    return connection
  }

  /// Returns the network by which a connection is counted; nil for a trusted proxy or a connection without an address.
  private func countedNetwork(of channel: any Channel, _ remote: RemoteAddress) -> [UInt8]? {
    guard !remote.network.isEmpty, let address = channel.remoteAddress, !self.proxies.contains(address.unmapped) else {
      return nil
    }
    return remote.network
  }

  private func add(
    _ channel: any Channel, _ address: RemoteAddress, _ network: [UInt8]?, to state: inout State, at now: NIODeadline
  ) -> (Connection?, warning: Logger.Message?) {
    let ofNetwork = network.map { state.perNetwork[$0] ?? 0 } ?? 0
    let reached = self.limitReached(served: state.served, ofNetwork: ofNetwork)
    let warning = reached.flatMap { Self.warning(about: $0, in: &state, at: now) }
    guard reached != .acceptedPerAddress else { return (nil, warning) }
    let connection = Connection(channel, from: address, isExcess: reached != nil, at: now)
    state.open[ObjectIdentifier(channel)] = connection
    if reached == nil { state.served += 1 }
    if let network { state.perNetwork[network] = ofNetwork + 1 }
    if state.sweeper == nil {
      state.sweeper = channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
        self.sweep(at: .now())
      }
    }
    return (connection, warning)
  }

  /// Returns the limit that one more connection would exceed.
  /// - Parameter ofNetwork: The number of open connections from the network of the new connection.
  private func limitReached(served: Int, ofNetwork: Int) -> ReachedLimit? {
    if ofNetwork >= self.limits.acceptedPerAddress { return .acceptedPerAddress }
    if served >= self.limits.maximum { return .total }
    return ofNetwork >= self.limits.servedPerAddress ? .servedPerAddress : nil
  }

  /// Returns the warning to log; nil if there was one about this limit a short time ago.
  private static func warning(
    about limit: ReachedLimit, in state: inout State, at now: NIODeadline
  ) -> Logger.Message? {
    if let last = state.warnedAt[limit], now < last + self.warningInterval { return nil }
    state.warnedAt[limit] = now
    return limit.warning
  }

  private func remove(_ id: ObjectIdentifier, _ network: [UInt8]?, wasServed: Bool) {
    self.state.withLock { state in
      state.open[id] = nil
      if wasServed { state.served -= 1 }
      if let network, let count = state.perNetwork[network] { state.perNetwork[network] = count > 1 ? count - 1 : nil }
      guard state.open.isEmpty else { return }
      state.sweeper?.cancel()
      state.sweeper = nil
    }
  }

  /// Closes the connections and streams whose time limits have passed.
  func sweep(at now: NIODeadline) {
    let (open, isNearlyFull) = self.state.withLock { ($0.open.values.map(\.self), $0.open.count > self.limits.nearlyFullCount) }
    for connection in open { connection.closeOverdue(at: now, self.limits, isNearlyFull: isNearlyFull) }
  }
}
