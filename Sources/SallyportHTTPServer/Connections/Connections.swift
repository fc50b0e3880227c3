import Logging
import NIOCore
import Synchronization

/// The open connections of a server, each looked at once in a while and closed when its time is over.
///
/// One task looks at all of them, so that a request costs no timer.
final class Connections: Sendable {
  private struct State {
    var open: [ObjectIdentifier: Connection] = [:]
    /// Those that are served.
    var served = 0
    /// All that are open, by address.
    var perNetwork: [[UInt8]: Int] = [:]
    var sweeper: RepeatedTask?
    var hasWarned = false
  }

  let limits: ConnectionLimits
  private let proxies: TrustedProxies
  private let state = Mutex(State())

  /// - Parameter proxies: of the operator, whose connections are not counted by address.
  init(limits: ConnectionLimits, proxies: TrustedProxies = .none) {
    self.limits = limits
    self.proxies = proxies
  }

  var count: Int { self.state.withLock { $0.open.count } }

  /// Of each body that is awaited, the bytes that have come.
  var awaitedBodies: [Int] { self.state.withLock { $0.open.values.map(\.self) }.flatMap(\.awaitedBodies) }

  /// Adds a connection until it is closed.
  /// - Returns: nil for one to be closed at once, since its address has too many already.
  func add(_ channel: any Channel, logger: Logger) -> Connection? {
    let address = RemoteAddress(channel.remoteAddress)
    let network = self.countedNetwork(of: channel, address)
    let (connection, isNews) = self.state.withLock { self.add(channel, address, network, to: &$0) }
    if isNews {
      logger.warning(
        "more connections than the limit: refused with 503",
        metadata: ["limit": "\(self.limits.maximum)", "limit-per-address": "\(self.limits.servedPerAddress)"])
    }
    guard let connection else { return nil }
    channel.closeFuture.whenComplete { _ in self.remove(ObjectIdentifier(channel), network, wasServed: !connection.isExcess) }
    return connection
  }

  /// Nil for a connection that is not counted by address: of a proxy, or without an address.
  private func countedNetwork(of channel: any Channel, _ remote: RemoteAddress) -> [UInt8]? {
    guard !remote.network.isEmpty, let address = channel.remoteAddress, !self.proxies.contains(address.unmapped) else {
      return nil
    }
    return remote.network
  }

  private func add(
    _ channel: any Channel, _ address: RemoteAddress, _ network: [UInt8]?, to state: inout State
  ) -> (Connection?, isNews: Bool) {
    let ofNetwork = network.map { state.perNetwork[$0] ?? 0 } ?? 0
    let isExcess = state.served >= self.limits.maximum || ofNetwork >= self.limits.servedPerAddress
    let isNews = isExcess && !state.hasWarned
    if isNews { state.hasWarned = true }
    guard ofNetwork < self.limits.acceptedPerAddress else { return (nil, isNews) }
    let connection = Connection(channel, from: address, isExcess: isExcess, at: .now())
    state.open[ObjectIdentifier(channel)] = connection
    if !isExcess { state.served += 1 }
    if let network { state.perNetwork[network] = ofNetwork + 1 }
    if state.sweeper == nil {
      state.sweeper = channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
        self.sweep(at: .now())
      }
    }
    return (connection, isNews)
  }

  private func remove(_ id: ObjectIdentifier, _ network: [UInt8]?, wasServed: Bool) {
    self.state.withLock { state in
      state.open[id] = nil
      if wasServed { state.served -= 1 }
      if let network, let count = state.perNetwork[network] { state.perNetwork[network] = count > 1 ? count - 1 : nil }
      if state.open.count <= self.limits.crowded { state.hasWarned = false }
      guard state.open.isEmpty else { return }
      state.sweeper?.cancel()
      state.sweeper = nil
    }
  }

  /// Closes what has had its time.
  func sweep(at now: NIODeadline) {
    let (open, isCrowded) = self.state.withLock { ($0.open.values.map(\.self), $0.open.count > self.limits.crowded) }
    for connection in open { connection.closeOverdue(at: now, self.limits, isCrowded: isCrowded) }
  }
}
