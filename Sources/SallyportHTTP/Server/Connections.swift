import Logging
import NIOCore
import Synchronization

/// The open connections of a server, each looked at once in a while and closed when its time is over.
///
/// One task looks at all of them, so that a request costs no timer.
final class Connections: Sendable {
  private struct State {
    var open: [ObjectIdentifier: Connection] = [:]
    var sweeper: RepeatedTask?
    var hasWarned = false
  }

  let limits: ConnectionLimits
  private let state = Mutex(State())

  init(limits: ConnectionLimits) {
    self.limits = limits
  }

  var count: Int { self.state.withLock { $0.open.count } }

  /// Adds a connection until it is closed.
  func add(_ channel: any Channel, logger: Logger) -> Connection {
    let id = ObjectIdentifier(channel)
    let (connection, isNews) = self.state.withLock { state in
      let connection = Connection(channel, isExcess: state.open.count >= self.limits.maximum, at: .now())
      state.open[id] = connection
      if state.sweeper == nil {
        state.sweeper = channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
          self.sweep(at: .now())
        }
      }
      let isNews = connection.isExcess && !state.hasWarned
      if isNews { state.hasWarned = true }
      return (connection, isNews)
    }
    if isNews {
      logger.warning("more connections than the limit: refused with 503", metadata: ["limit": "\(self.limits.maximum)"])
    }
    channel.closeFuture.whenComplete { _ in self.remove(id) }
    return connection
  }

  private func remove(_ id: ObjectIdentifier) {
    self.state.withLock { state in
      state.open[id] = nil
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
