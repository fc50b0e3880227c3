import SallyportProtocol
package import SallyportServer

/// The state of a database and its standbys, for `sallyportd doctor`.
package struct PostgresCondition: Sendable {
  package struct Standby: Sendable {
    package var name: String
    /// PostgreSQL's `sync_state`, which says whether commits wait for the standby: `sync`, `quorum`, `potential`, or
    /// `async`.
    package var mode: String
    /// How long the standby took to apply recent changes; nil if there were no recent changes.
    package var lag: Duration?
    /// How many bytes of the log the standby has not applied yet; nil if the standby has not reported this. Unlike the
    /// lag, this number is known even if there were no recent changes.
    package var missingBytes: Int64?
  }

  /// The version of PostgreSQL as a number, for example 150007 for 15.7.
  package var serverVersion: Int
  /// How far the database's clock is ahead of the clock of this machine. Negative if it is behind.
  package var clockOffset: Duration
  /// The configured value of `synchronous_commit`.
  package var synchronousCommit: String
  /// Whether a commit can succeed before a synchronous standby has written it to its disk (`synchronous_commit` is
  /// weaker than `on`).
  package var isCommitWeak: Bool { SessionSetup.weakCommits.contains(self.synchronousCommit) }
  /// The value of `synchronous_standby_names`; empty if commits wait for no standby.
  package var synchronousStandbyNames: String
  /// The connected standbys; nil if the role may not see them.
  package var standbys: [Standby]?
  /// The indexes of ``Schema/indexes`` that do not exist in the database.
  package var missingIndexes: [String]
  /// The names of indexes that PostgreSQL does not use, because their creation was interrupted.
  package var invalidIndexes: [String]
}

extension PostgresStore {
  /// Reads the state of the database.
  /// - Throws: ``StoreError/unusable(reason:)`` or ``StoreError/unavailable(reason:)``
  package func condition() async throws(StoreError) -> PostgresCondition {
    let offset = try await self.clockOffset()
    return try await self.inspect { (snapshot) throws(StoreError) in
      var condition = try snapshot.serverCondition()
      condition.clockOffset = offset
      condition.standbys = try snapshot.standbys()
      (condition.missingIndexes, condition.invalidIndexes) = try snapshot.defectiveIndexes()
      return condition
    }
  }

  /// Returns how far the database's clock is ahead of the clock of this machine. The result is inexact by at most half
  /// of the time that the read takes.
  package func clockOffset() async throws(StoreError) -> Duration {
    // Connects first, so that the time limit of the read does not include connecting.
    try await self.connect()
    return try await self.inspect { (snapshot) throws(StoreError) in
      let before = Timestamp.now()
      let database = try snapshot.clock()
      let after = Timestamp.now()
      return .milliseconds(database.milliseconds - (before.milliseconds + after.milliseconds) / 2)
    }
  }
}

extension PostgresAccess {
  fileprivate func clock() throws(StoreError) -> Timestamp {
    let now = try self.row("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint") { (row) throws(StoreError) in
      try row.time(0)
    }
    return try unwrapStored(now, "clock")
  }

  /// Returns the settings of the server. The caller adds the clock offset, the standbys, and the indexes.
  fileprivate func serverCondition() throws(StoreError) -> PostgresCondition {
    // `reset_val` is the configured value: the store may change `synchronous_commit` for its own session.
    let condition = try self.row(
      """
      SELECT current_setting('server_version_num')::bigint, current_setting('synchronous_standby_names'),
        (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit')
      """
    ) { (row) throws(StoreError) in
      PostgresCondition(
        serverVersion: try row[0], clockOffset: .zero, synchronousCommit: try row[2], synchronousStandbyNames: try row[1],
        missingIndexes: [], invalidIndexes: [])
    }
    return try unwrapStored(condition, "setting")
  }

  /// Returns the connected standbys; nil if the role may not see them. A backup that is running is not a standby.
  fileprivate func standbys() throws(StoreError) -> [PostgresCondition.Standby]? {
    let isAllowed = try self.row("SELECT pg_has_role('pg_read_all_stats', 'USAGE')") { (row) throws(StoreError) in
      try row[0] as Bool
    }
    guard isAllowed == true else { return nil }
    return try self.rows(
      """
      SELECT coalesce(application_name, ''), coalesce(sync_state, ''), coalesce((extract(epoch FROM replay_lag) * 1000)::bigint, -1),
        coalesce(CASE WHEN NOT pg_is_in_recovery() THEN
          pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(replay_lsn, flush_lsn, write_lsn))::bigint END, -1)
      FROM pg_stat_replication WHERE state <> 'backup' ORDER BY application_name
      """
    ) { (row) throws(StoreError) in
      let (lag, bytes) = (try row[2] as Int64, try row[3] as Int64)
      return .init(
        name: try row[0], mode: try row[1], lag: lag < 0 ? nil : .milliseconds(lag), missingBytes: bytes < 0 ? nil : bytes)
    }
  }

  /// Returns the indexes that do not exist, and the invalid indexes that no session is creating.
  fileprivate func defectiveIndexes() throws(StoreError) -> (missing: [String], invalid: [String]) {
    let indexes = try self.rows(
      """
      SELECT relname::text, indisvalid OR EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = indexrelid)
      FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid JOIN pg_namespace ON relnamespace = pg_namespace.oid
      WHERE nspname = 'sallyport' ORDER BY relname
      """
    ) { (row) throws(StoreError) in (name: try row[0] as String, isUsable: try row[1] as Bool) }
    let names = indexes.map(\.name)
    return (Schema.indexes.filter { !names.contains($0) }, indexes.filter { !$0.isUsable }.map(\.name))
  }
}

extension Schema {
  /// The names of all indexes, except for the indexes of primary keys and unique columns.
  static var indexes: [String] {
    let scripts = [self.script] + self.migrations.map(\.creation)
    let dropped = scripts.flatMap { $0.matches(of: /DROP INDEX ([a-z_]+)/).map { String($0.1) } }
    return scripts.flatMap { script in
      script.matches(of: /CREATE (?:UNIQUE )?INDEX ([a-z_]+)/).map { String($0.1) }
    }
    .filter { !dropped.contains($0) }
  }
}
