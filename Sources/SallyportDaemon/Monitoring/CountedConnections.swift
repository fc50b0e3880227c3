import HummingbirdCore
import SallyportObservability

/// Enforces the connection limit, and counts the open connections.
struct CountedConnections: AvailableConnectionsDelegate {
  var limit: MaximumAvailableConnections
  let openConnections: OpenConnections
  let metrics: ServerMetrics

  mutating func connectionOpened() {
    self.limit.connectionOpened()
    self.openConnections.increment()
    self.metrics.connectionOpened()
  }

  mutating func connectionClosed() {
    self.limit.connectionClosed()
    self.openConnections.decrement()
    self.metrics.connectionClosed()
  }

  func isAcceptingNewConnections() -> Bool { self.limit.isAcceptingNewConnections() }
}
