import Foundation
import SallyportServer
import Synchronization

/// Knows the current configuration version without a read for each request. The version is a number that increases with
/// every change to a client, a signing key, or an upstream.
///
/// A thread with a connection of its own listens for notifications of changes (`LISTEN`). It reads the version after
/// each notification, and otherwise about every 100 milliseconds. Through PgBouncer, notifications do not arrive, so a
/// change is noticed only by the next read.
final class ConfigurationWatch: Sendable {
  private struct State {
    var isStarted = false
    var isClosed = false
    /// The version, and when its read began.
    var lastRead: (version: Int64, readAt: ContinuousClock.Instant)?
  }

  /// The time between two reads without a notification, and the pause before a new connection after a failure.
  private static var interval: Duration { .milliseconds(100) }
  /// How long a version counts as current, measured from the beginning of its read
  /// (``Store/watchedConfigurationVersion``).
  private static var lifetime: Duration { .milliseconds(250) }
  /// How long it may take until one of the hosts accepts a connection. The connector also limits the time for each
  /// host.
  private static var connectTimeout: Duration { .seconds(10) }
  /// How long a read may take before the connection is replaced.
  private static var readTimeout: Duration { .seconds(1) }

  private let connector: Connector
  private let hosts: HostWatch
  private let state = Mutex(State())

  init(connector: Connector) {
    self.connector = connector
    self.hosts = HostWatch(connector: connector)
  }

  /// The current version; nil if it is unknown. The first use starts the thread of this watch and the threads of
  /// ``HostWatch``.
  var version: Int64? {
    let (lastRead, starts) = self.state.withLock { state in
      defer { state.isStarted = true }
      return (state.lastRead, !state.isStarted && !state.isClosed)
    }
    if starts {
      self.startThread()
      self.hosts.start()
    }
    return lastRead.flatMap { $0.readAt.duration(to: .now) < Self.lifetime ? $0.version : nil }
  }

  /// Ends the threads.
  func close() {
    self.hosts.close()
    self.state.withLock { state in
      state.isClosed = true
      state.lastRead = nil
    }
  }

  private var isClosed: Bool { self.state.withLock { $0.isClosed } }

  private func startThread() {
    let thread = Thread {
      while !self.isClosed {
        self.watch()
        Socket.sleep(Self.interval)
      }
    }
    thread.name = "postgres watch"
    thread.start()
  }

  /// Watches with one connection until the connection fails, a standby is promoted, or the watch is closed.
  private func watch() {
    guard let connection = try? self.connector.connect(until: .now + Self.connectTimeout) else { return }
    defer { connection.close() }
    do throws(ConnectionError) {
      // Behind PgBouncer, the connection has no session of its own that could listen.
      if connection.preparesStatements { try connection.enqueue("LISTEN \(Schema.channel)") }
      while !self.isClosed, self.connector.isCurrent(connection) {
        let start = ContinuousClock.now
        try connection.enqueue("SELECT version FROM sallyport.configuration")
        let result = try connection.exchange(until: start + Self.readTimeout).last
        guard let result, result.count == 1, let version = try? ResultRow(result, row: 0)[0] as Int64 else { return }
        self.state.withLock { state in
          if !state.isClosed { state.lastRead = (version, start) }
        }
        try connection.waitForNotification(until: start + Self.interval)
      }
    } catch {}
  }
}
