public import SallyportProtocol
public import SallyportServer

/// A store in a PostgreSQL database, which several servers can share.
///
/// Writes are serializable transactions, and reads see one snapshot. If a response does not arrive in time, the
/// connection is closed. If the response to a COMMIT is missing, ``write(_:)`` throws
/// ``StoreError/outcomeUnknown(reason:)``.
public final class PostgresStore: Store {
  /// How many connections a store uses, and how long requests wait.
  public struct Limits: Sendable {
    /// The maximum number of connections for reads and writes. One more connection watches for changes to the
    /// configuration, and if the URL names several hosts, one connection to each of them watches for promotions.
    public var connections = 16
    /// How long a read or write may take, from the call until its result, including the wait for a connection. All
    /// reads and writes of one HTTP request together may take 1.8 seconds.
    public var requestTimeout: Duration = .milliseconds(1_800)
    /// How long to wait for one host while connecting, before the next host is tried.
    public var connectTimeout: Duration = .seconds(1)
    /// How long a call to ``PostgresStore/removeExpired(before:limit:)``, a count of expired rows, or a step of a copy
    /// of the database may take.
    public var maintenanceTimeout: Duration = .seconds(30)

    public init() {}
  }

  private let pool: ConnectionPool
  private let limits: Limits
  private let schema: Schema
  private let connector: Connector
  private let watch: ConfigurationWatch
  let statistics = Statistics()

  /// Creates a store. The first use connects to the database.
  /// - Parameter createsSchema: Whether the first use creates the schema if it does not exist, and applies the
  ///   migrations that the database does not have yet. If false, a database without a current schema cannot be used.
  public convenience init(_ address: PostgresAddress, limits: Limits = Limits(), createsSchema: Bool = true) {
    self.init(address, limits: limits, schema: .current, createsSchema: createsSchema)
  }

  /// Creates a store that uses `schema`, which can be the schema of another version of Sallyport.
  init(_ address: PostgresAddress, limits: Limits, schema: Schema, createsSchema: Bool = true) {
    self.limits = limits
    self.schema = schema
    let connector = Connector(address, hostTimeout: limits.connectTimeout, schema: schema, createsSchema: createsSchema)
    self.connector = connector
    self.pool = ConnectionPool(size: limits.connections, connector: connector)
    self.watch = ConfigurationWatch(connector: connector)
  }

  /// Connects to the database. Creates or migrates its schema, unless the store was created with
  /// `createsSchema: false`.
  /// - Throws: ``StoreError/unusable(reason:)`` if the database cannot be used, for example because the version of
  ///   PostgreSQL or of the schema is not supported; ``StoreError/unavailable(reason:)`` if no server that accepts
  ///   writes can be reached.
  public func connect() async throws(StoreError) {
    try await self.pool.run(until: .now + self.limits.maintenanceTimeout) { (source) throws(StoreError) in
      _ = try source.connection(until: .now + self.limits.requestTimeout)
    }
  }

  /// Creates the schema if it does not exist, and applies missing migrations.
  /// - Parameter role: A role that gets the rights that a server needs; nil to grant nothing.
  /// - Throws: ``StoreError/unusable(reason:)`` if the role of the connection may not do this, or if the database
  ///   cannot be used (see ``connect()``); ``StoreError/unavailable(reason:)``
  package func updateSchema(grantingTo role: String?) async throws(StoreError) {
    try await self.pool.run(until: .now + self.limits.maintenanceTimeout) { (source) throws(StoreError) in
      let connection = try source.connection(until: .now + self.limits.requestTimeout)
      var update = SchemaUpdate(setup: SessionSetup(connection: connection, schema: self.schema))
      try update.apply(grantingTo: role)
    }
  }

  /// Returns the SQL that creates the schema in a database that does not have it.
  /// - Parameter role: A role that gets the rights that a server needs; nil to grant nothing.
  package static func schemaSQL(grantingTo role: String?) -> String {
    Schema.creation(grantingTo: role)
  }

  /// Closes the connections after work in progress has finished. Every later read or write throws, and so does every
  /// read or write that still waits for a connection.
  public func close() {
    self.watch.close()
    self.pool.close()
  }

  /// The version is known while an additional connection watches for changes. The first use of this property opens the
  /// connection.
  public var watchedConfigurationVersion: Int64? { self.watch.version }

  // The identifier of a grant begins with the account's shard, a part of the account identifier's hash. If it began
  // with the time, all new grants would be on the last page of their index, and concurrent serializable transactions
  // that add grants would conflict (docs/decisions/0112-serializable-transactions.md).
  public var grantOrder: GrantOrder { .shard }

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

  /// Removes rows that have expired or ended and are not needed to detect a replay. A consumed code stays until its
  /// grant ends, and a replaced refresh token until it would have expired or its grant ends. A grant ends when it
  /// expires, is revoked, or loses its last usable credential.
  ///
  /// Clients that no operator registered are removed too if their lease has expired and they have no grants.
  ///
  /// To keep rows for some time after they have ended, pass a time in the past. If another server is removing rows,
  /// this method removes none and returns 0.
  /// - Parameter limit: The maximum number of rows to remove.
  /// - Returns: The number of removed rows. If it is `limit`, there may be more.
  /// - Throws: ``StoreError/unusable(reason:)``, ``StoreError/unavailable(reason:)``, or
  ///   ``StoreError/outcomeUnknown(reason:)``
  public func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
    try await self.run(self.limits.maintenanceTimeout) { (runner) throws(StoreError) in
      let rows = try runner.write(.readCommitted) { (tx) throws(StoreError) in
        try tx.removeExpired(before: now, limit: limit)
      }
      // Nil if another server is removing rows.
      guard let rows else { return 0 }
      guard rows < limit else { return rows }
      return try rows
        + runner.write { (tx) throws(StoreError) in try tx.removeUnusedClients(before: now, limit: limit - rows) }
    }
  }

  /// Runs `body` on a snapshot of the database. Unlike in ``read(_:)``, `body` can run its own statements.
  func inspect<R: Sendable>(
    _ body: @escaping @Sendable (PostgresSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try await self.run(self.limits.requestTimeout) { (runner) throws(StoreError) in
      try runner.read { (snapshot) throws(StoreError) in try body(snapshot) }
    }
  }

  /// Runs `body` with the time limit of maintenance.
  func maintain<R: Sendable>(
    _ body: @escaping @Sendable (TransactionRunner) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try await self.run(self.limits.maintenanceTimeout) { (runner) throws(StoreError) in try body(runner) }
  }

  private func run<R: Sendable>(
    _ timeout: Duration, _ body: @escaping @Sendable (TransactionRunner) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    let (started, time) = (ContinuousClock.now, StoreTime.current)
    let deadline = started + min(timeout, time?.remaining ?? timeout)
    defer { time?.spend(started.duration(to: .now)) }
    // A request that would get a connection only shortly before its deadline fails earlier. During a burst of requests,
    // the server then has time left to respond to all of them.
    return try await self.pool.run(until: min(deadline, started + timeout * 5 / 6)) { (source) throws(StoreError) in
      try body(TransactionRunner(source: source, deadline: deadline, statistics: self.statistics))
    }
  }
}
