import SallyportServer

/// The connection of one thread, opened when it is first needed, and replaced after a failure or the promotion of a
/// standby.
final class ConnectionSource {
  private let connector: Connector
  private var current: PostgresConnection?

  init(_ connector: Connector) {
    self.connector = connector
  }

  /// Whether there is a connection. The server may have closed it meanwhile.
  var isOpen: Bool { self.current != nil }

  /// Whether there is a connection that can be used.
  var isReady: Bool {
    guard let current else { return false }
    return current.isUsable && self.connector.isCurrent(current)
  }

  /// Closes the previous connection, and opens a new one.
  /// - Throws: ``StoreError/unusable(reason:)`` or ``StoreError/unavailable(reason:)``
  func open() throws(StoreError) {
    self.close()
    self.current = try self.connector.connect(until: .now + self.connector.timeLimit)
  }

  /// Returns the connection. Opens a new one if there is none, or if a standby has been promoted since.
  /// - Throws: ``StoreError/unusable(reason:)`` or ``StoreError/unavailable(reason:)``
  func connection(until deadline: ContinuousClock.Instant) throws(StoreError) -> PostgresConnection {
    if let current, self.connector.isCurrent(current) { return current }
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
