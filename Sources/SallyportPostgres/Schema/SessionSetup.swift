import SallyportServer

/// What a new connection does before its first transaction.
struct SessionSetup {
  /// The oldest supported version of PostgreSQL, in the format of `PQserverVersion`: 150000 is version 15.0.
  private static var oldestServer: Int { 150_000 }

  /// The settings of a transaction behind PgBouncer, where a connection has no session of its own. They correspond to
  /// the session's settings (``PostgresAddress``) and to what ``checkServer(until:)`` sets, except for
  /// `plan_cache_mode`, which affects only prepared statements.
  static let transactionSettings = """
    SELECT set_config('search_path', '\(PostgresAddress.searchPath)', true), set_config('enable_seqscan', 'off', true),
      set_config('jit', 'off', true), set_config('idle_in_transaction_session_timeout', '10000', true),
      set_config('lock_timeout', '10000', true),
      set_config('synchronous_commit', CASE WHEN \(Self.weakCommitCondition) THEN 'on' ELSE current_setting('synchronous_commit') END, true)
    """

  /// The values of `synchronous_commit` with which a COMMIT does not wait until a synchronous standby has written the
  /// changes to disk.
  static let weakCommits = ["off", "local", "remote_write"]

  /// The SQL condition that `synchronous_commit` has one of the ``weakCommits``.
  private static let weakCommitCondition =
    "current_setting('synchronous_commit') IN (\(Self.weakCommits.map { "'\($0)'" }.joined(separator: ", ")))"

  let connection: PostgresConnection
  let schema: Schema

  /// Checks the version and encoding of the server, and makes commits durable if the server's configuration does not.
  /// Finds out the server's timeline, and whether the connection has a session of its own. A connection behind
  /// PgBouncer has none, and is recognized by its search path, because PgBouncer does not pass on the settings of
  /// ``PostgresAddress``. Its commits are made durable by ``transactionSettings``.
  ///
  /// Also reads the state of the schema in the same round trip, because over a slow network, each further round trip
  /// would delay the first request of the connection.
  /// - Returns: The state of the schema; nil if it could not be read, usually because the schema does not exist yet.
  /// - Throws: ``StoreError/unusable(reason:)`` if the server cannot be used, or a newer version of Sallyport wrote the
  ///   schema; ``StoreError/unavailable(reason:)``
  func checkServer(until deadline: ContinuousClock.Instant) throws(StoreError) -> Schema.State? {
    let version = self.connection.serverVersion
    guard version >= Self.oldestServer else {
      throw .unusable(reason: "PostgreSQL \(version / 10_000) is not supported; use PostgreSQL 15 or later")
    }
    let (row, versions) = try self.readConditions(until: deadline)
    guard let row, (try row[2] as String) == "UTF8" else {
      throw .unusable(
        reason: "the database does not have the encoding UTF8; create it with: createdb --encoding=UTF8 --template=template0")
    }
    self.connection.preparesStatements = try row[3]
    self.connection.timeline = try Timeline(row)
    guard let versions else { return nil }
    return try self.state(versions)
  }

  /// - Returns: The row of the server check, and the row with the version and the last migration of the schema; nil for
  ///   a row that could not be read.
  private func readConditions(
    until deadline: ContinuousClock.Instant
  ) throws(StoreError) -> (server: ResultRow?, versions: ResultRow?) {
    do throws(ConnectionError) {
      try self.enqueueServerCheck()
      try self.connection.enqueue(Self.versions(hasMigrations: true))
      let results = try self.connection.exchange(until: deadline).suffix(2).map { result in
        result.count > 0 ? ResultRow(result, row: 0) : nil
      }
      return (results[0], results[1])
    } catch {
      guard case .rejected = error else {
        self.connection.close()
        throw .unavailable(reason: error.reason)
      }
    }
    // The server rejected a statement, usually because one of the two tables that contain the versions does not exist.
    // The failure also rolled back the server check, so the check runs again.
    return (try self.run(until: deadline) { () throws(ConnectionError) in try self.enqueueServerCheck() }, nil)
  }

  private func enqueueServerCheck() throws(ConnectionError) {
    let ownSessionCondition = "current_setting('search_path') = '\(PostgresAddress.searchPath)'"
    // Other values, such as remote_apply, are not changed.
    try self.connection.enqueue(
      "SELECT set_config('synchronous_commit', 'on', false) WHERE \(Self.weakCommitCondition) AND \(ownSessionCondition)")
    try self.connection.enqueue("SELECT \(Timeline.columns), current_setting('server_encoding'), \(ownSessionCondition)")
  }

  /// Returns what the database contains.
  /// - Throws: ``StoreError/unusable(reason:)`` if a newer version of Sallyport wrote the schema, or the schema has no
  ///   version; ``StoreError/unavailable(reason:)``
  func schemaState(until deadline: ContinuousClock.Instant) throws(StoreError) -> Schema.State {
    let tables = try self.run(until: deadline) { () throws(ConnectionError) in
      // Does not use to_regclass, which may not see a table that another server has just created.
      try self.connection.enqueue(
        """
        SELECT count(*) FILTER (WHERE tablename = 'schema_version'), count(*) FILTER (WHERE tablename = 'migration')
        FROM pg_tables WHERE schemaname = 'sallyport'
        """)
    }
    guard let tables, (try tables[0] as Int) == 1 else { return .absent }
    let hasMigrations = (try tables[1] as Int) == 1
    let row = try self.run(until: deadline) { () throws(ConnectionError) in
      try self.connection.enqueue(Self.versions(hasMigrations: hasMigrations))
    }
    guard let row else {
      throw .unusable(reason: "the schema 'sallyport' has no version, so another program has changed it")
    }
    return try self.state(row)
  }

  /// The SQL that reads the version of the schema and the number of its last migration.
  private static func versions(hasMigrations: Bool) -> String {
    let migration = hasMigrations ? "(SELECT max(number) FROM sallyport.migration)" : "NULL::bigint"
    return "SELECT version, coalesce(\(migration), 0) FROM sallyport.schema_version"
  }

  private func state(_ versions: ResultRow) throws(StoreError) -> Schema.State {
    guard (try versions[0] as Int64) <= self.schema.version else {
      throw .unusable(reason: "the database was written by a newer version of Sallyport; use that version")
    }
    return .present(migration: try versions[1])
  }

  /// Runs the statements that `queue` enqueues. Closes the connection if one of them fails.
  /// - Returns: The first row of the last statement; nil if it returned no rows.
  func run(
    until deadline: ContinuousClock.Instant, _ queue: () throws(ConnectionError) -> Void
  ) throws(StoreError) -> ResultRow? {
    do throws(ConnectionError) {
      try queue()
      guard let result = try self.connection.exchange(until: deadline).last, result.count > 0 else { return nil }
      return ResultRow(result, row: 0)
    } catch {
      self.connection.close()
      throw .unavailable(reason: error.reason)
    }
  }
}
