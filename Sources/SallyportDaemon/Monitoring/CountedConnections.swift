import HummingbirdCore
import SallyportHTTP

/// The limit of connections, which also says how many there are.
struct CountedConnections: AvailableConnectionsDelegate {
  var limit: MaximumAvailableConnections
  let metrics: ServerMetrics

  mutating func connectionOpened() {
    self.limit.connectionOpened()
    self.metrics.connectionOpened()
  }

  mutating func connectionClosed() {
    self.limit.connectionClosed()
    self.metrics.connectionClosed()
  }

  func isAcceptingNewConnections() -> Bool { self.limit.isAcceptingNewConnections() }
}
