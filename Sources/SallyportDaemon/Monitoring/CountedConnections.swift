import HummingbirdCore
import SallyportObservability

/// Enforces the connection limit, and counts the open connections.
struct CountedConnections: AvailableConnectionsDelegate {
  var limit: MaximumAvailableConnections
  let open: OpenConnections
  let metrics: ServerMetrics

  mutating func connectionOpened() {
    self.limit.connectionOpened()
    self.open.increment()
    self.metrics.connectionOpened()
  }

  mutating func connectionClosed() {
    self.limit.connectionClosed()
    self.open.decrement()
    self.metrics.connectionClosed()
  }

  func isAcceptingNewConnections() -> Bool { self.limit.isAcceptingNewConnections() }
}
