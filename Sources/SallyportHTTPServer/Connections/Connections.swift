import Logging
import NIOCore
import Synchronization

/// The open connections of a server. Closes them when their time limits have passed.
///
/// One repeated task checks all connections every second, so that requests need no timers.
final class Connections: Sendable {
  private struct State {
    var open: [ObjectIdentifier: Connection] = [:]
    /// The number of connections that are served.
    var served = 0
    /// The number of open connections by network.
    var perNetwork: [[UInt8]: Int] = [:]
    var sweeper: RepeatedTask?
    /// Whether the log contains a warning about the limit. Reset when a connection is closed and at most
    /// ``ConnectionLimits/nearlyFullCount`` connections remain.
    var hasWarned = false
  }

  let limits: ConnectionLimits
  private let proxies: TrustedProxies
  private let state = Mutex(State())

  /// - Parameter proxies: The trusted proxies, whose connections are not counted by address.
  init(limits: ConnectionLimits, proxies: TrustedProxies = .none) {
    self.limits = limits
    self.proxies = proxies
  }

  var count: Int { self.state.withLock { $0.open.count } }

  /// For each request whose body is still arriving, the number of bytes received.
  var awaitedBodies: [Int] { self.state.withLock { $0.open.values.map(\.self) }.flatMap(\.awaitedBodies) }

  /// Adds a connection. It is removed when it is closed.
  /// - Returns: Nil if the peer's address has too many connections. In that case, close the channel without a response.
  func add(_ channel: any Channel, logger: Logger) -> Connection? {
    let address = RemoteAddress(channel.remoteAddress)
    let network = self.countedNetwork(of: channel, address)
    let (connection, isFirstExcess) = self.state.withLock { self.add(channel, address, network, to: &$0) }
    if isFirstExcess {
      logger.warning(
        "connection limit reached, responding with 503",
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
    _ channel: any Channel, _ address: RemoteAddress, _ network: [UInt8]?, to state: inout State
  ) -> (Connection?, isFirstExcess: Bool) {
    let ofNetwork = network.map { state.perNetwork[$0] ?? 0 } ?? 0
    let isExcess = state.served >= self.limits.maximum || ofNetwork >= self.limits.servedPerAddress
    let isFirstExcess = isExcess && !state.hasWarned
    if isFirstExcess { state.hasWarned = true }
    guard ofNetwork < self.limits.acceptedPerAddress else { return (nil, isFirstExcess) }
    let connection = Connection(channel, from: address, isExcess: isExcess, at: .now())
    state.open[ObjectIdentifier(channel)] = connection
    if !isExcess { state.served += 1 }
    if let network { state.perNetwork[network] = ofNetwork + 1 }
    if state.sweeper == nil {
      state.sweeper = channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
        self.sweep(at: .now())
      }
    }
    return (connection, isFirstExcess)
  }

  private func remove(_ id: ObjectIdentifier, _ network: [UInt8]?, wasServed: Bool) {
    self.state.withLock { state in
      state.open[id] = nil
      if wasServed { state.served -= 1 }
      if let network, let count = state.perNetwork[network] { state.perNetwork[network] = count > 1 ? count - 1 : nil }
      if state.open.count <= self.limits.nearlyFullCount { state.hasWarned = false }
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
