import Foundation
import SallyportServer
import Synchronization

/// Finds out within about a second that a standby was promoted, even if the former primary still accepts connections
/// and writes.
///
/// If only the program that manages a primary (such as Patroni) fails, the primary does not learn of the promotion.
/// With synchronous replication, the primary's commits then wait indefinitely for its former standby, and its reads
/// return old data. So every second, a thread for each host reads the host's timeline, a number that PostgreSQL
/// increases at each promotion. The ``Connector`` no longer uses hosts with an earlier timeline. With one host, there
/// is nothing to compare.
final class HostWatch: Sendable {
  /// The time between two reads of a timeline.
  private static var interval: Duration { .seconds(1) }
  /// How long a read may take before the connection is replaced.
  private static var readTimeout: Duration { .seconds(1) }

  private let connector: Connector
  private let isClosed = Atomic(false)

  init(connector: Connector) {
    self.connector = connector
  }

  func start() {
    guard self.connector.hostCount > 1 else { return }
    for host in 0..<self.connector.hostCount {
      let thread = Thread { self.watch(host) }
      thread.name = "postgres host"
      thread.start()
    }
  }

  func close() {
    self.isClosed.store(true, ordering: .relaxed)
  }

  private func watch(_ host: Int) {
    var connection: PostgresConnection?
    while !self.isClosed.load(ordering: .relaxed) {
      let start = ContinuousClock.now
      do throws(ConnectionError) {
        if connection == nil { connection = try self.connector.connectToWatch(host) }
        if let connection, let timeline = try Self.timeline(connection) { self.connector.note(timeline, of: host) }
      } catch {
        connection = nil
      }
      Socket.sleep(max(Self.interval - start.duration(to: .now), .milliseconds(100)))
    }
  }

  /// Reads the timeline of a host.
  /// - Returns: Nil if the host is a standby, which has no timeline number (``Timeline/columns``).
  private static func timeline(_ connection: PostgresConnection) throws(ConnectionError) -> Timeline? {
    try connection.enqueue("SELECT \(Timeline.columns)")
    guard let result = try connection.exchange(until: .now + self.readTimeout).last, result.count == 1 else { return nil }
    return try? Timeline(ResultRow(result, row: 0))
  }
}
