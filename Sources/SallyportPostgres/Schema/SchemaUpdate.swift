import SallyportServer

/// Creates the schema, and applies the migrations that the database does not have yet.
struct SchemaUpdate {
  /// The key of the advisory lock that is held while the schema is created or migrated: a random number.
  static var lock: Int64 { 4_735_919_203_568_846 }
  /// How long the creation of the schema, one migration, or one step of a ``Backfill`` may take. Also how long to wait
  /// while another server changes the schema.
  private static var timeout: Duration { .seconds(60) }
  /// How long a migration waits for a lock on a table. Transactions that come later wait behind the migration. After
  /// this time, the migration therefore gives up, lets these transactions run, and tries again.
  private static var lockTimeout: Duration { .milliseconds(500) }

  /// The key of the advisory lock that a session holds while it creates an index: a random number.
  private static var indexLock: Int64 { 2_208_617_340_935_517 }
  /// How long the creation of an index may take.
  private static var indexTimeout: Duration { .seconds(24 * 3_600) }
  /// The maximum number of attempts to create indexes in one update.
  private static var maximumCreations: Int { 20 }

  private enum Failure: Error {
    /// Another server is creating an index.
    case busy
    case store(StoreError)
    /// - Parameter problem: What cannot be done, as the beginning of an error message.
    case connection(ConnectionError, problem: String)
  }

  /// What one transaction has done.
  private enum Progress {
    /// Nothing was missing.
    case nothing
    /// The schema was created, or a migration was applied.
    case migration
    /// A step of a backfill has run.
    case step(Position)
    /// An index is missing, which must be created outside of a transaction.
    case missing(OnlineIndex)
  }

  /// How far a backfill has come.
  private struct Position {
    /// The number of the migration. Another server may have completed it since, so the next step can belong to another
    /// backfill.
    let migration: Int64
    /// The primary key of the last row that a step has read.
    let key: [StoredValue]
  }

  private let setup: SessionSetup
  /// How far the current backfill has come; nil if it has not begun.
  private var position: Position?
  /// How often the creation of an index was tried.
  private var creations = 0

  private var connection: PostgresConnection { self.setup.connection }

  init(setup: SessionSetup) {
    self.setup = setup
  }

  /// Applies everything that is missing. Each migration, and each step of a backfill, has a transaction of its own. If
  /// several servers do this at once, they take turns.
  /// - Parameter role: A role that gets the rights that a server needs; nil to grant nothing.
  /// - Throws: ``StoreError/unusable(reason:)`` if the schema cannot be changed, for example because the role of the
  ///   connection may not do this; ``StoreError/unavailable(reason:)``
  mutating func apply(grantingTo role: String? = nil) throws(StoreError) {
    update: while true {
      switch try self.inTransaction({ (update) throws(Failure) in try update.applyNext() }) {
      case .nothing: break update
      case .migration: self.position = nil
      case .step(let position): self.position = position
      case .missing(let index): try self.create(index)
      }
    }
    try self.endCreations()
    guard let role else { return }
    try self.inTransaction { (update) throws(Failure) in
      try update.run(Schema.grants(to: role), problem: "rights cannot be granted")
    }
  }

  /// Creates the schema, applies the next migration, or runs the next step of a backfill.
  private func applyNext() throws(Failure) -> Progress {
    let state: Schema.State
    do throws(StoreError) { state = try self.setup.schemaState(until: .now + Self.timeout) } catch { throw .store(error) }
    guard case .present(let migration) = state else {
      try self.run(Schema.script, problem: "the schema 'sallyport' cannot be created")
      return .migration
    }
    guard let next = self.setup.schema.migrations.first(where: { $0.number > migration }) else { return .nothing }
    let problem = "the schema 'sallyport' cannot be migrated"
    if case .backfill(let backfill) = next.change {
      let start = self.position.flatMap { $0.migration == next.number ? $0.key : nil }
      if let end = try self.runStep(of: backfill, after: start, problem: problem) {
        return .step(Position(migration: next.number, key: end))
      }
    }
    if case .index(let index) = next.change, try !self.checkOrRemove(index, problem: problem) { return .missing(index) }
    // If all steps of a backfill have run, or the index exists, the script only records the migration.
    try self.run(next.script, problem: problem)
    return .migration
  }

  /// - Parameter start: The primary key after which the step begins; nil for the first row.
  /// - Returns: The primary key of the last row that the step has read; nil at the end of the table.
  private func runStep(of backfill: Backfill, after start: [StoredValue]?, problem: String) throws(Failure) -> [StoredValue]? {
    let result = try self.exchange(problem: problem) { () throws(ConnectionError) in
      try self.connection.enqueue(backfill.step(isFirst: start == nil), (start ?? []).map(\.argument))
    }
    guard let result, result.count == 1 else { return nil }
    do throws(StoreError) { return try ResultRow(result, row: 0).values(of: Array(backfill.table.key)) } catch {
      throw .store(error)
    }
  }

  // MARK: Indexes

  /// Returns whether the index exists and is valid. Removes an invalid index, which an interrupted creation has left.
  /// - Throws: ``Failure/busy`` if another server is creating an index.
  private func checkOrRemove(_ index: OnlineIndex, problem: String) throws(Failure) -> Bool {
    if let isValid = try self.isValid(index, problem: problem), isValid { return true }
    // Behind PgBouncer (`preparesStatements` is false), a connection has no session that could hold a lock, so two
    // servers may create the index at the same time. The statement then fails at one of the servers, which tries again.
    if self.connection.preparesStatements, try !self.lockIndexes(problem: problem) { throw .busy }
    _ = try self.exchange(problem: problem) { () throws(ConnectionError) in try self.connection.enqueue(index.tableLock) }
    // Another server may have completed the index before this server got the lock.
    guard let isValid = try self.isValid(index, problem: problem) else { return false }
    if !isValid { try self.run(index.removal, problem: problem) }
    return isValid
  }

  /// Returns whether PostgreSQL uses an index; nil if the index does not exist.
  private func isValid(_ index: OnlineIndex, problem: String) throws(Failure) -> Bool? {
    let result = try self.exchange(problem: problem) { () throws(ConnectionError) in
      try self.connection.enqueue(
        """
        SELECT indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
          JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = 'sallyport' AND relname = $1
        """, [index.name])
    }
    guard let result, result.count == 1 else { return nil }
    do throws(StoreError) { return try ResultRow(result, row: 0)[0] as Bool } catch { throw .store(error) }
  }

  /// Takes a lock that the session holds while it creates an index. Does not wait for the lock: a waiting session would
  /// keep a snapshot, and the server that creates the index would have to wait until that session ends its transaction.
  /// - Returns: False if another server has the lock.
  private func lockIndexes(problem: String) throws(Failure) -> Bool {
    let result = try self.exchange(problem: problem) { () throws(ConnectionError) in
      try self.connection.enqueue("SELECT pg_try_advisory_lock($1)", [Self.indexLock])
    }
    guard let result, result.count == 1 else { return false }
    do throws(StoreError) { return try ResultRow(result, row: 0)[0] as Bool } catch { throw .store(error) }
  }

  /// Creates an index while servers use the table. If another server makes an attempt fail, returns without an error,
  /// unless this was the last attempt. The next transaction finds out whether the index exists.
  private mutating func create(_ index: OnlineIndex) throws(StoreError) {
    self.creations += 1
    do throws(ConnectionError) {
      // The statement waits for all transactions that use the table, so it may take longer than the usual time limits.
      // Reads and writes do not wait for the statement.
      if self.connection.preparesStatements {
        try self.connection.run(script: Self.unlimitedSettings, until: .now + Self.timeout)
      }
      try self.connection.run(script: index.onlineCreation, until: .now + Self.indexTimeout)
    } catch {
      let isTemporary = if case .rejected(let rejection) = error { rejection.isConcurrentIndexFailure } else { false }
      guard isTemporary, self.creations < Self.maximumCreations else {
        self.connection.close()
        throw self.storeError(for: .connection(error, problem: "the index '\(index.name)' cannot be created")).error
      }
      Socket.sleep(Self.lockTimeout)
    }
  }

  /// Restores the usual settings of the session, and releases its lock.
  private func endCreations() throws(StoreError) {
    guard self.connection.preparesStatements else { return }
    do throws(ConnectionError) { try self.connection.run(script: Self.usualSettings, until: .now + Self.timeout) } catch {
      throw .unavailable(reason: error.reason)
    }
  }

  /// The settings of a session that creates an index.
  private static let unlimitedSettings = "SET lock_timeout = 0; SET statement_timeout = 0"
  /// Restores the usual settings and releases the lock of the session.
  private static let usualSettings = "RESET lock_timeout; RESET statement_timeout; SELECT pg_advisory_unlock_all()"

  // MARK: Transactions

  /// Runs `body` in a transaction that has the advisory lock. Repeats it while it fails with a temporary error, for
  /// example because a lock on a table was not available.
  @discardableResult
  private func inTransaction<R>(_ body: (SchemaUpdate) throws(Failure) -> R) throws(StoreError) -> R {
    let deadline = ContinuousClock.now + Self.timeout
    while true {
      do throws(Failure) {
        try self.begin()
        let result = try body(self)
        _ = try self.exchange(problem: Self.endProblem) { () throws(ConnectionError) in try self.connection.enqueue("COMMIT") }
        return result
      } catch {
        let (isTemporary, error) = self.storeError(for: error)
        guard isTemporary, ContinuousClock.now < deadline, (try? self.rollBack()) != nil else {
          self.connection.close()
          throw error
        }
        Socket.sleep(Self.lockTimeout)
      }
    }
  }

  private static let beginProblem = "the schema 'sallyport' cannot be changed now, because another server is changing it"
  private static let endProblem = "the change to the schema 'sallyport' cannot be committed"

  /// Begins a transaction and waits for the advisory lock.
  private func begin() throws(Failure) {
    _ = try self.exchange(problem: Self.beginProblem) { () throws(ConnectionError) in
      try self.connection.enqueue("BEGIN ISOLATION LEVEL READ COMMITTED")
      if !self.connection.preparesStatements { try self.connection.enqueue(SessionSetup.transactionSettings) }
      // The wait for the advisory lock may be longer than the wait for a lock on a table, because it delays no
      // requests: only other updates of the schema use the advisory lock.
      try self.connection.enqueue(Self.setLockTimeout, [Self.milliseconds(Self.timeout)])
      try self.connection.enqueue("SELECT pg_advisory_xact_lock($1)", [Self.lock])
      try self.connection.enqueue(Self.setLockTimeout, [Self.milliseconds(Self.lockTimeout)])
    }
  }

  private static let setLockTimeout = "SELECT set_config('lock_timeout', $1, true)"

  private static func milliseconds(_ duration: Duration) -> String { "\(Int(duration / .milliseconds(1)))" }

  private func rollBack() throws(Failure) {
    _ = try self.exchange(problem: Self.endProblem) { () throws(ConnectionError) in try self.connection.enqueue("ROLLBACK") }
  }

  private func run(_ script: String, problem: String) throws(Failure) {
    do throws(ConnectionError) { try self.connection.run(script: script, until: .now + Self.timeout) } catch {
      throw .connection(error, problem: problem)
    }
  }

  /// Runs statements.
  /// - Returns: The result of the last statement.
  private func exchange(
    problem: String, _ queue: () throws(ConnectionError) -> Void
  ) throws(Failure) -> QueryResult? {
    do throws(ConnectionError) {
      try queue()
      // PostgreSQL ends a wait for the advisory lock before this deadline, with an error that contains the reason.
      return try self.connection.exchange(until: .now + Self.timeout + .seconds(5)).last
    } catch { throw .connection(error, problem: problem) }
  }

  /// - Returns: Whether another attempt may soon succeed, and the error to throw if there is none.
  private func storeError(for failure: Failure) -> (isTemporary: Bool, error: StoreError) {
    switch failure {
    case .busy: return (true, .unavailable(reason: Self.beginProblem))
    case .store(let error): return (false, error)
    case .connection(.lost(let reason), _): return (false, .unavailable(reason: reason))
    case .connection(.rejected(let rejection), let problem):
      let reason = "\(problem): \(rejection.description)"
      if rejection.isLockTimeout || rejection.isConcurrencyFailure { return (true, .unavailable(reason: reason)) }
      if rejection.endsSession { return (false, .unavailable(reason: reason)) }
      let advice =
        // 42501 is `insufficient_privilege`.
        rejection.state == "42501"
        ? "; this role may not change the schema; run 'sallyportd store init' as the owner of the database" : ""
      return (false, .unusable(reason: reason + advice))
    }
  }
}
