import NIOCore
import SallyportServer
import Synchronization

/// One connection, as far as its time and its place among the others matter.
final class Connection: Sendable {
  /// The connection of the request that is being answered.
  @TaskLocal static var current: Connection?

  private struct Request {
    /// The connection itself, or in HTTP/2 a stream of it.
    var channel: any Channel
    var since: NIODeadline
  }

  private struct State {
    var requests: [ObjectIdentifier: Request] = [:]
    var idleSince: NIODeadline
  }

  /// One beyond the limit, which is told so and served nothing.
  let isExcess: Bool
  /// Who is at its other end, written out once.
  let peer: ClientAddress
  private let channel: any Channel
  private let openedAt: NIODeadline
  private let state: Mutex<State>

  init(_ channel: any Channel, isExcess: Bool, at now: NIODeadline) {
    self.channel = channel
    self.isExcess = isExcess
    self.peer = ClientAddress(channel.remoteAddress)
    self.openedAt = now
    self.state = Mutex(State(idleSince: now))
  }

  /// Whether a request's channel is one of several on the connection: in HTTP/2.
  func isStream(_ channel: any Channel) -> Bool { channel !== self.channel }

  /// A request has come in whose answer is not written yet.
  func begin(_ channel: any Channel, at now: NIODeadline) {
    self.state.withLock { $0.requests[ObjectIdentifier(channel)] = Request(channel: channel, since: now) }
  }

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
      return state.requests.values.filter { now - $0.since >= request }.map(\.channel)
    }
  }
}
