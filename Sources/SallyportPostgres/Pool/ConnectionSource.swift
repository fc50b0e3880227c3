import SallyportServer

/// The connection of one thread, opened when it is first needed, and replaced after a failure or the promotion of a
/// standby.
final class ConnectionSource {
  private let connector: Connector
  private var current: PostgresConnection?

  init(_ connector: Connector) {
    self.connector = connector
  }

  /// - Throws: ``StoreError/unusable(reason:)`` or ``StoreError/unavailable(reason:)``
  func connection(until deadline: ContinuousClock.Instant) throws(StoreError) -> PostgresConnection {
    if let current, current.isUsable, self.connector.isCurrent(current) { return current }
    self.close()
    let connection = try self.connector.connect(until: deadline)
    self.current = connection
    return connection
  }

  func close() {
    self.current?.close()
    self.current = nil
  }
}
