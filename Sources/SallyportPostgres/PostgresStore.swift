public import SallyportProtocol
public import SallyportServer

/// A store in a PostgreSQL database, which several servers can share.
///
/// Transactions are serializable. A response that does not arrive in time closes the connection. If the lost response is
/// that of a COMMIT, ``write(_:)`` throws ``StoreError/outcomeUnknown(reason:)``.
public final class PostgresStore: Store {
  /// How many connections a store uses, and how long requests wait.
  public struct Limits: Sendable {
    /// The maximum number of connections.
    public var connections = 16
    /// How long a read or write may take, from the call until its result, including the wait for a connection.
    public var requestTimeout: Duration = .milliseconds(1_800)
    /// How long to wait for one host while connecting, before the next host is tried.
    public var connectTimeout: Duration = .seconds(1)
    /// How long a step of ``PostgresStore/removeExpired(before:limit:)`` may take.
    public var maintenanceTimeout: Duration = .seconds(30)

    public init() {}
  }

  private let pool: ConnectionPool
  private let limits: Limits
  let statistics = Statistics()

  /// Creates a store. The first use connects to the database.
  /// - Parameter createsSchema: Whether the first use creates the schema if it does not exist. Otherwise, the database
  ///   cannot be used without a schema.
  public init(_ address: PostgresAddress, limits: Limits = Limits(), createsSchema: Bool = true) {
    self.limits = limits
    let connector = Connector(address, hostTimeout: limits.connectTimeout, createsSchema: createsSchema)
    self.pool = ConnectionPool(size: limits.connections, connector: connector)
  }

  /// Connects to the database, and creates its schema if it does not exist.
  /// - Throws: ``StoreError/unusable(reason:)`` if the version of the server or of the schema is not supported;
  ///   ``StoreError/unavailable(reason:)`` if no server that accepts writes can be reached.
  public func connect() async throws(StoreError) {
    try await self.pool.run(until: .now + self.limits.maintenanceTimeout) { (source) throws(StoreError) in
      _ = try source.connection(until: .now + self.limits.requestTimeout)
    }
  }

  /// Closes the connections after work in progress has finished. Every later call throws.
  public func close() {
    self.pool.close()
  }

  /// The number of reads and writes that wait for a connection.
  public var waitingRequests: Int { self.pool.waiting }

  public func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try await self.run(self.limits.requestTimeout) { (runner) throws(StoreError) in
      try runner.write { (tx) throws(StoreError) in
        var transaction: any StoreTransaction = tx
        return try body(&transaction)
      }
    }
  }

  public func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try await self.run(self.limits.requestTimeout) { (runner) throws(StoreError) in
      try runner.read { (snapshot) throws(StoreError) in try body(snapshot) }
    }
  }

  /// Removes rows that have ended and are not needed to detect a replay. A consumed code stays until its grant ends, and a
  /// replaced refresh token until it would have expired or its grant ends. A grant ends when it expires, is revoked, or
  /// loses its last usable credential.
  ///
  /// To keep rows for some time after they have ended, pass a time in the past. Several servers can call this at once.
  /// - Throws: ``StoreError/unavailable(reason:)`` or ``StoreError/outcomeUnknown(reason:)``
  public func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
    try await self.run(self.limits.maintenanceTimeout) { (runner) throws(StoreError) in
      let rows = try runner.write(.readCommitted) { (tx) throws(StoreError) in
        try tx.removeExpired(before: now, limit: limit)
      }
      guard rows < limit else { return rows }
      return try rows
        + runner.write { (tx) throws(StoreError) in try tx.removeUnusedClients(before: now, limit: limit - rows) }
    }
  }

  private func run<R: Sendable>(
    _ timeout: Duration, _ body: @escaping @Sendable (TransactionRunner) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    let deadline = ContinuousClock.now + timeout
    return try await self.pool.run(until: deadline) { (source) throws(StoreError) in
      try body(TransactionRunner(source: source, deadline: deadline, statistics: self.statistics))
    }
  }
}
