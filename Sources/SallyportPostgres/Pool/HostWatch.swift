import SallyportServer
import Synchronization

#if canImport(FoundationEssentials)
  import Foundation
#endif

/// Finds out within about a second that a standby was promoted, even if the former primary still accepts connections and writes.
///
/// If only the program that manages a primary fails, the primary does not learn of the promotion. Its commits wait in vain for
/// the standby, and what it returns to reads is old. So a thread for each host reads the host's timeline every second, and the
/// ``Connector`` no longer uses hosts with an earlier timeline. With one host, there is nothing to compare.
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
    defer { connection?.close() }
    while !self.isClosed.load(ordering: .relaxed) {
      let start = ContinuousClock.now
      do throws(ConnectionError) {
        let current = try connection ?? self.connector.connectToWatch(host)
        connection = current
        try current.enqueue("SELECT \(Timeline.columns)")
        let result = try current.exchange(until: start + Self.readTimeout).last
        if let result, result.count == 1, let timeline = try? Timeline(ResultRow(result, row: 0)) {
          self.connector.note(timeline)
        }
      } catch {
        connection?.close()
        connection = nil
      }
      Socket.sleep(max(Self.interval - start.duration(to: .now), .milliseconds(100)))
    }
  }
}
