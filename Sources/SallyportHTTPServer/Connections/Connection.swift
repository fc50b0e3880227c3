import NIOCore
import Synchronization

/// One connection, as far as its time and its place among the others matter.
final class Connection: Sendable {
  /// The connection of the request that is being answered.
  @TaskLocal static var current: Connection?

  fileprivate struct Request {
    /// The connection itself, or in HTTP/2 a stream of it.
    var channel: any Channel
    var since: NIODeadline
    var body: BodyPace.Progress?
  }

  private struct State {
    var requests: [ObjectIdentifier: Request] = [:]
    var idleSince: NIODeadline
    /// In HTTP/1, where all requests share a channel.
    var body: BodyPace.Progress?
  }

  /// One beyond a limit, which is told so and served nothing.
  let isExcess: Bool
  /// The address of the other end.
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

  /// Whether a request's channel is one of several on the connection: in HTTP/2.
  func isStream(_ channel: any Channel) -> Bool { channel !== self.channel }

  /// A request has come in whose answer is not written yet. Called on the channel's event loop.
  func begin(_ channel: any Channel, at now: NIODeadline) {
    let isStream = self.isStream(channel)
    self.state.withLock { state in
      let body = isStream ? nil : state.body
      let progress = body ?? (try? channel.pipeline.syncOperations.handler(type: BodyPace.self))?.progress
      if !isStream { state.body = progress }
      state.requests[ObjectIdentifier(channel)] = Request(channel: channel, since: now, body: progress)
    }
  }

  /// Of each body that is awaited, the bytes that have come.
  var awaitedBodies: [Int] { self.state.withLock { $0.requests.values.compactMap { $0.body?.received } } }

  func end(_ channel: any Channel, at now: NIODeadline) {
    self.state.withLock { state in
      state.requests[ObjectIdentifier(channel)] = nil
      state.idleSince = now
    }
  }

  func closeOverdue(at now: NIODeadline, _ limits: ConnectionLimits, isCrowded: Bool) {
    for channel in self.overdue(at: now, limits, isCrowded: isCrowded) { channel.close(promise: nil) }
  }

  private func overdue(at now: NIODeadline, _ limits: ConnectionLimits, isCrowded: Bool) -> [any Channel] {
    let (request, crowdedIdle) = (TimeAmount(limits.request), TimeAmount(limits.crowdedIdle))
    if self.isExcess { return now - self.openedAt >= crowdedIdle ? [self.channel] : [] }
    let idle = isCrowded ? min(crowdedIdle, TimeAmount(limits.idle)) : TimeAmount(limits.idle)
    return self.state.withLock { state in
      if state.requests.isEmpty { return now - state.idleSince >= idle ? [self.channel] : [] }
      return state.requests.values.filter { now - $0.since >= request || $0.isTooSlow(at: now, limits) }.map(\.channel)
    }
  }
}

extension Connection.Request {
  /// Whether the body comes in more slowly than it may, on average since the grace period ended.
  fileprivate func isTooSlow(at now: NIODeadline, _ limits: ConnectionLimits) -> Bool {
    let late = now - self.since - TimeAmount(limits.bodyGrace)
    guard late > .nanoseconds(0), let received = self.body?.received else { return false }
    return Double(received) < Double(limits.bodyRate) * Double(late.nanoseconds) / 1e9
  }
}
