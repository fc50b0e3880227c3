import NIOCore
import Synchronization

/// An open connection, with the state that its limits need.
final class Connection: Sendable {
  /// The connection of the current request.
  @TaskLocal static var current: Connection?

  fileprivate struct Request {
    /// The connection's channel, or one of its streams in HTTP/2.
    var channel: any Channel
    /// When the request arrived.
    var since: NIODeadline
    var body: BodyPace.Progress?
  }

  private struct State {
    var requests: [ObjectIdentifier: Request] = [:]
    var idleSince: NIODeadline
    /// The body's progress in HTTP/1, where all requests share a channel.
    var body: BodyPace.Progress?
  }

  /// Whether the connection is beyond a limit. Its requests then get a 503 response.
  let isExcess: Bool
  /// The address of the connection's peer.
  let address: RemoteAddress
  private let channel: any Channel
  private let openedAt: NIODeadline
  private let state: Mutex<State>

  init(_ channel: any Channel, from address: RemoteAddress, isExcess: Bool, at now: NIODeadline) {
    self.channel = channel
    self.isExcess = isExcess
    self.address = address
    self.openedAt = now
    self.state = Mutex(State(idleSince: now))
  }

  /// Whether a request's channel is an HTTP/2 stream of the connection.
  func isStream(_ channel: any Channel) -> Bool { channel !== self.channel }

  /// Records that a request has arrived. Call this on the channel's event loop.
  func begin(_ channel: any Channel, at now: NIODeadline) {
    let isStream = self.isStream(channel)
    self.state.withLock { state in
      // In HTTP/1, the handler is looked up only for the first request of the connection.
      let known = isStream ? nil : state.body
      let progress = known ?? (try? channel.pipeline.syncOperations.handler(type: BodyPace.self))?.progress
      if !isStream { state.body = progress }
      state.requests[ObjectIdentifier(channel)] = Request(channel: channel, since: now, body: progress)
    }
  }

  /// For each request whose body is still arriving, the number of bytes received.
  var awaitedBodies: [Int] { self.state.withLock { $0.requests.values.compactMap { $0.body?.received } } }

  /// Records that the response was written, or that the request failed.
  func end(_ channel: any Channel, at now: NIODeadline) {
    self.state.withLock { state in
      state.requests[ObjectIdentifier(channel)] = nil
      state.idleSince = now
    }
  }

  /// Closes the channels whose time limits have passed.
  /// - Parameter isNearlyFull: Whether ``ConnectionLimits/shortIdle`` applies. True while many connections are open.
  func closeOverdue(at now: NIODeadline, _ limits: ConnectionLimits, isNearlyFull: Bool) {
    for channel in self.overdueChannels(at: now, limits, isNearlyFull: isNearlyFull) { channel.close(promise: nil) }
  }

  private func overdueChannels(at now: NIODeadline, _ limits: ConnectionLimits, isNearlyFull: Bool) -> [any Channel] {
    let (request, shortIdle) = (TimeAmount(limits.request), TimeAmount(limits.shortIdle))
    if self.isExcess { return now - self.openedAt >= shortIdle ? [self.channel] : [] }
    let idle = isNearlyFull ? min(shortIdle, TimeAmount(limits.idle)) : TimeAmount(limits.idle)
    return self.state.withLock { state in
      if state.requests.isEmpty { return now - state.idleSince >= idle ? [self.channel] : [] }
      return state.requests.values.filter { now - $0.since >= request || $0.isTooSlow(at: now, limits) }.map(\.channel)
    }
  }
}

extension Connection.Request {
  /// Whether fewer bytes of the body have arrived than the minimum rate requires for the time since the end of the
  /// grace period.
  fileprivate func isTooSlow(at now: NIODeadline, _ limits: ConnectionLimits) -> Bool {
    let measured = now - self.since - TimeAmount(limits.bodyGrace)
    guard measured > .nanoseconds(0), let received = self.body?.received else { return false }
    return Double(received) < Double(limits.bodyRate) * Double(measured.nanoseconds) / 1e9
  }
}
