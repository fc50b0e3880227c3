import SallyportServer

/// What a new connection does before its first transaction.
struct SessionSetup {
  /// The oldest supported version of the server.
  private static var oldestServer: Int { 150_000 }
  /// The key of the advisory lock that is held while the schema is created or migrated. A random number.
  private static var lock: Int64 { 4_735_919_203_568_846 }

  let connection: PostgresConnection

  /// Checks the version and encoding of the server, and makes commits durable if the server's configuration does not.
  /// - Throws: ``StoreError/unusable(reason:)`` or ``StoreError/unavailable(reason:)``
  func checkServer(until deadline: ContinuousClock.Instant) throws(StoreError) {
    let version = self.connection.serverVersion
    guard version >= Self.oldestServer else {
      throw .unusable(reason: "PostgreSQL \(version / 10_000) is not supported; use PostgreSQL 15 or later")
    }
    let encoding = try self.run(until: deadline) { () throws(ConnectionError) in
      // A stronger setting, such as remote_apply, stays.
      try self.connection.enqueue(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')")
      try self.connection.enqueue("SELECT current_setting('server_encoding')")
    }
    guard let encoding = try encoding.map({ (row) throws(StoreError) in try row[0] as String }), encoding == "UTF8" else {
      throw .unusable(
        reason: "the database does not have the encoding UTF8; create it with: createdb --encoding=UTF8 --template=template0")
    }
  }

  /// - Returns: Nil if the database has no schema.
  /// - Throws: ``StoreError/unusable(reason:)`` if a newer version of Sallyport wrote the schema.
  func schemaVersion(until deadline: ContinuousClock.Instant) throws(StoreError) -> Int64? {
    let exists = try self.run(until: deadline) { () throws(ConnectionError) in
      // Not to_regclass, which may not see a table that another server has just created.
      try self.connection.enqueue(
        "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'sallyport' AND tablename = 'schema_version')")
    }
    guard try exists.map({ (row) throws(StoreError) in try row[0] as Bool }) ?? false else { return nil }
    let row = try self.run(until: deadline) { () throws(ConnectionError) in
      try self.connection.enqueue("SELECT version FROM schema_version")
    }
    guard let version = try row.map({ (row) throws(StoreError) in try row[0] as Int64 }) else {
      throw .unusable(reason: "the schema 'sallyport' has no version, so another program has changed it")
    }
    guard version <= Schema.version else {
      throw .unusable(reason: "the database was written by a newer version of Sallyport; use that version")
    }
    return version
  }

  /// Creates the schema, unless another server does so at the same time.
  func createSchema(until deadline: ContinuousClock.Instant) throws(StoreError) {
    _ = try self.run(until: deadline) { () throws(ConnectionError) in
      try self.connection.enqueue("BEGIN")
      try self.connection.enqueue("SELECT pg_advisory_xact_lock($1)", [Self.lock])
    }
    if try self.schemaVersion(until: deadline) == nil {
      do throws(ConnectionError) { try self.connection.run(script: Schema.script, until: deadline) } catch {
        self.connection.close()
        guard case .rejected(let rejection) = error else { throw .unavailable(reason: error.reason) }
        throw .unusable(reason: "the schema 'sallyport' cannot be created: \(rejection.description)")
      }
    }
    _ = try self.run(until: deadline) { () throws(ConnectionError) in try self.connection.enqueue("COMMIT") }
  }

  /// Runs statements.
  /// - Returns: The first row of the last statement.
  private func run(
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
