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

  /// The values of `synchronous_commit` with which a commit does not wait until a synchronous standby has written it to
  /// its disk.
  static let weakCommits = ["off", "local", "remote_write"]

  /// The SQL condition that `synchronous_commit` has one of the ``weakCommits``.
  private static let weakCommitCondition =
    "current_setting('synchronous_commit') IN (\(Self.weakCommits.map { "'\($0)'" }.joined(separator: ", ")))"

  let connection: PostgresConnection
  let schema: Schema

  /// Checks the version and encoding of the server, and makes commits durable if the server's configuration does not.
  /// Finds out the server's timeline, and whether the connection has a session of its own. Behind PgBouncer, it has
  /// none. This shows in the search path, because PgBouncer does not pass on the settings of ``PostgresAddress``.
  /// - Throws: ``StoreError/unusable(reason:)`` or ``StoreError/unavailable(reason:)``
  func checkServer(until deadline: ContinuousClock.Instant) throws(StoreError) {
    let version = self.connection.serverVersion
    guard version >= Self.oldestServer else {
      throw .unusable(reason: "PostgreSQL \(version / 10_000) is not supported; use PostgreSQL 15 or later")
    }
    let ownSessionCondition = "current_setting('search_path') = '\(PostgresAddress.searchPath)'"
    let row = try self.run(until: deadline) { () throws(ConnectionError) in
      // Other values, such as remote_apply, are not changed.
      try self.connection.enqueue(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE \(Self.weakCommitCondition) AND \(ownSessionCondition)")
      try self.connection.enqueue("SELECT \(Timeline.columns), current_setting('server_encoding'), \(ownSessionCondition)")
    }
    guard let row, (try row[2] as String) == "UTF8" else {
      throw .unusable(
        reason: "the database does not have the encoding UTF8; create it with: createdb --encoding=UTF8 --template=template0")
    }
    self.connection.preparesStatements = try row[3]
    self.connection.timeline = try Timeline(row)
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
    let migration = (try tables[1] as Int) == 1 ? "(SELECT max(number) FROM sallyport.migration)" : "NULL::bigint"
    let row = try self.run(until: deadline) { () throws(ConnectionError) in
      try self.connection.enqueue("SELECT version, coalesce(\(migration), 0) FROM sallyport.schema_version")
    }
    guard let row else {
      throw .unusable(reason: "the schema 'sallyport' has no version, so another program has changed it")
    }
    guard (try row[0] as Int64) <= self.schema.version else {
      throw .unusable(reason: "the database was written by a newer version of Sallyport; use that version")
    }
    return .present(migration: try row[1])
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
