import SallyportServer

/// One attempt to run the body of a transaction on a connection.
///
/// If the attempt is interrupted, the body's result is discarded, whatever it is: the body runs again in a new attempt,
/// or the transaction fails. The errors that the body receives after an interruption therefore do not matter.
final class TransactionAttempt {
  /// When the attempt sends its statements, and what it assumes about their results.
  enum Plan: Equatable {
    /// The first statement of a read runs without BEGIN. If the body reads a second time, a transaction begins, which
    /// repeats the first read and requires the same result.
    case singleRead
    /// All reads see one snapshot.
    case snapshot
    /// A write whose result the body does not need, or whose result can be assumed, is only queued. It is sent with the
    /// next statement whose result is needed, or with the COMMIT. Inserts are assumed to succeed, and writes with
    /// ``TransactionAttempt/expectChange(_:_:)`` to change one row. Queries with ``TransactionAttempt/expectRow(_:_:)``
    /// are queued too, and assumed to find one row. If an assumption is wrong, the server rejects the statement.
    case pipelined
    /// The result of each write is awaited, and a savepoint undoes a write that conflicts. Used after an assumption of
    /// `pipelined` was wrong.
    case stepwise
  }

  /// Why the body must run again, or why it cannot.
  enum Interruption {
    /// A concurrent transaction prevents the commit.
    case concurrency
    /// An assumption of ``Plan/pipelined`` was wrong.
    case wrongAssumption
    /// The result of the first read of ``Plan/singleRead`` was different when the read was repeated.
    case firstReadChanged
    /// The connection failed before the COMMIT ran, so nothing was written.
    case lost(reason: String)
    /// Another error, after which the body does not run again.
    case failed(StoreError)
  }

  private let connection: PostgresConnection
  private let deadline: ContinuousClock.Instant
  private let plan: Plan
  private let isolation: IsolationLevel
  private(set) var interruption: Interruption?
  private var hasBegun = false
  /// Whether a statement has changed rows. A queued write is assumed to change rows.
  private var hasChanged = false
  private var firstRead: (sql: String, arguments: [(any StatementArgument)?], result: QueryResult)?

  init(
    _ connection: PostgresConnection, _ plan: Plan, _ isolation: IsolationLevel, until deadline: ContinuousClock.Instant
  ) {
    self.connection = connection
    self.plan = plan
    self.isolation = isolation
    self.deadline = deadline
  }

  // MARK: Statements

  func read(_ sql: String, _ arguments: [(any StatementArgument)?]) throws(StoreError) -> QueryResult {
    if self.plan == .singleRead, !self.hasBegun { return try self.readWithoutTransaction(sql, arguments) }
    return try self.run { () throws(ConnectionError) in
      try self.beginIfNeeded()
      try self.connection.enqueue(sql, arguments)
    }
  }

  /// Runs a write and waits for its result. With ``Plan/stepwise``, throws ``StoreError/conflict`` if the write
  /// conflicts.
  func write(_ sql: String, _ arguments: [(any StatementArgument)?]) throws(StoreError) -> QueryResult {
    let result = try self.plan == .stepwise ? self.runInSavepoint(sql, arguments) : self.read(sql, arguments)
    if result.changes > 0 { self.hasChanged = true }
    return result
  }

  /// Runs a write whose result the body does not use.
  func queue(_ sql: String, _ arguments: [(any StatementArgument)?]) throws(StoreError) {
    guard self.plan == .pipelined else {
      _ = try self.write(sql, arguments)
      return
    }
    try self.enqueue(sql, arguments)
    self.hasChanged = true
  }

  /// Runs a write that usually changes one row, and never more than one.
  /// - Returns: Whether it changed one row. With ``Plan/pipelined``, the result is always true, and the server rejects
  ///   the statement if it changes no row.
  func expectChange(_ sql: String, _ arguments: [(any StatementArgument)?]) throws(StoreError) -> Bool {
    guard self.plan == .pipelined else { return try self.write(sql, arguments).changes == 1 }
    // If no row was changed, the division by zero fails, and with it the transaction.
    try self.queue("WITH changed AS (\(sql) RETURNING 1) SELECT 1 / count(*) FROM changed", arguments)
    return true
  }

  /// Runs a query that usually finds one row, and never more than one.
  /// - Returns: Whether it found one row. With ``Plan/pipelined``, the result is always true, and the server rejects
  ///   the statement if it finds no row.
  func expectRow(_ sql: String, _ arguments: [(any StatementArgument)?]) throws(StoreError) -> Bool {
    guard self.plan == .pipelined else { return try self.read(sql, arguments).count == 1 }
    // If no row was found, the division by zero fails, and with it the transaction.
    try self.enqueue("SELECT 1 / count(*) FROM (\(sql)) AS found", arguments)
    return true
  }

  private func enqueue(_ sql: String, _ arguments: [(any StatementArgument)?]) throws(StoreError) {
    try self.guarding { () throws(ConnectionError) in
      try self.beginIfNeeded()
      try self.connection.enqueue(sql, arguments)
    }
  }

  private func beginIfNeeded() throws(ConnectionError) {
    guard !self.hasBegun else { return }
    self.hasBegun = true
    try self.connection.enqueue(self.isolation.begin)
    try self.enqueueSettings()
  }

  /// Queues the settings of the transaction if the connection has no session of its own.
  private func enqueueSettings() throws(ConnectionError) {
    if !self.connection.preparesStatements { try self.connection.enqueue(SessionSetup.transactionSettings) }
  }

  private func readWithoutTransaction(
    _ sql: String, _ arguments: [(any StatementArgument)?]
  ) throws(StoreError) -> QueryResult {
    guard let first = self.firstRead else {
      let result = try self.run { () throws(ConnectionError) in
        // Without BEGIN, the statements of one exchange are one transaction too.
        try self.enqueueSettings()
        try self.connection.enqueue(sql, arguments)
      }
      self.firstRead = (sql, arguments, result)
      return result
    }
    let results = try self.runAll { () throws(ConnectionError) in
      try self.beginIfNeeded()
      try self.connection.enqueue(first.sql, first.arguments)
      try self.connection.enqueue(sql, arguments)
    }
    // The last two results are those of the repeated first read and of the new read. The result of BEGIN comes first.
    guard results.count >= 3, results[results.count - 2].hasSameRows(as: first.result) else {
      throw self.interrupt(.firstReadChanged)
    }
    return results[results.count - 1]
  }

  private func runInSavepoint(_ sql: String, _ arguments: [(any StatementArgument)?]) throws(StoreError) -> QueryResult {
    try self.guarding { () throws(ConnectionError) in
      try self.beginIfNeeded()
      try self.connection.enqueue("SAVEPOINT body")
      try self.connection.enqueue(sql, arguments)
      try self.connection.enqueue("RELEASE SAVEPOINT body")
    }
    do throws(ConnectionError) {
      let results = try self.connection.exchange(until: self.deadline)
      // The last result is that of RELEASE SAVEPOINT.
      return results[results.count - 2]
    } catch {
      guard case .rejected(let rejection) = error, rejection.isConflict else {
        throw self.interrupt(self.interruption(for: error))
      }
      _ = try self.run { () throws(ConnectionError) in try self.connection.enqueue("ROLLBACK TO SAVEPOINT body") }
      throw .conflict
    }
  }

  // MARK: End

  /// Writes an empty message to the write-ahead log. A transaction that changed nothing runs this statement, because
  /// its COMMIT would otherwise not wait for the synchronous standby. A former primary could then report that a code or
  /// a refresh token is unknown, although the new primary has it. See docs/decisions/0175-confirm-rejections.md.
  private static let confirmation = "SELECT pg_logical_emit_message(true, 'sallyport', ''::text)"

  /// Commits the transaction.
  /// - Throws: ``CommitFailure`` if the transaction was not committed, or it is unknown whether it was.
  func commit() throws(CommitFailure) {
    if let interruption { throw .interrupted(interruption) }
    guard self.hasBegun else { return }
    if self.plan == .singleRead || self.plan == .snapshot { return self.endSnapshot() }
    var statements = 0
    do throws(ConnectionError) {
      if !self.hasChanged { try self.connection.enqueue(Self.confirmation) }
      try self.connection.enqueue("COMMIT")
      statements = self.connection.queuedStatements
      let results = try self.connection.exchange(until: self.deadline)
      guard results.last?.command == "COMMIT" else { throw .lost(reason: "the transaction was rolled back") }
      for warning in self.connection.warnings {
        if let reason = warning.reasonForUnknownOutcome { throw .lost(reason: reason) }
      }
    } catch {
      // Nothing was committed if the server rejected a statement before the COMMIT, or rejected the COMMIT without
      // ending the session.
      if case .rejected(let rejection) = error, !rejection.isFatal || rejection.position < statements - 1 {
        throw .interrupted(self.interruption(for: error))
      }
      self.connection.close()
      throw .unknown(reason: error.reason)
    }
  }

  enum CommitFailure: Error {
    /// Nothing was committed.
    case interrupted(Interruption)
    /// The transaction may have been committed.
    case unknown(reason: String)
  }

  /// Ends the transaction without its writes.
  func rollBack() {
    guard self.hasBegun else { return }
    do throws(ConnectionError) {
      try self.connection.enqueue("ROLLBACK")
      _ = try self.connection.exchange(until: self.deadline)
    } catch {
      // If the connection stayed open, the next transaction could run inside this one.
      self.connection.close()
    }
  }

  /// Sends the writes that are still queued after the body has thrown an error. If the server rejects one of them, sets
  /// ``interruption``, because the body may have relied on a wrong assumption.
  func checkQueuedWrites() {
    guard self.interruption == nil, self.connection.hasQueuedStatements else { return }
    _ = try? self.runAll { () throws(ConnectionError) in }
  }

  /// Ends a transaction that wrote nothing, without waiting for the response.
  private func endSnapshot() {
    do throws(ConnectionError) {
      try self.connection.enqueue("COMMIT")
      try self.connection.sendWithoutWaiting()
    } catch { self.connection.close() }
  }

  // MARK: Errors

  private func run(_ queue: () throws(ConnectionError) -> Void) throws(StoreError) -> QueryResult {
    let results = try self.runAll(queue)
    guard let last = results.last else { throw self.interrupt(.lost(reason: "a response is missing")) }
    return last
  }

  private func runAll(_ queue: () throws(ConnectionError) -> Void) throws(StoreError) -> [QueryResult] {
    var results: [QueryResult] = []
    try self.guarding { () throws(ConnectionError) in
      try queue()
      results = try self.connection.exchange(until: self.deadline)
    }
    return results
  }

  private func guarding(_ body: () throws(ConnectionError) -> Void) throws(StoreError) {
    guard self.interruption == nil else { throw .rolledBack }
    do throws(ConnectionError) { try body() } catch { throw self.interrupt(self.interruption(for: error)) }
  }

  /// - Returns: The error for the body.
  private func interrupt(_ interruption: Interruption) -> StoreError {
    self.interruption = interruption
    if case .failed(let error) = interruption { return error }
    return .rolledBack
  }

  private func interruption(for error: ConnectionError) -> Interruption {
    switch error {
    case .lost(let reason): .lost(reason: reason)
    case .rejected(let rejection) where rejection.isConcurrencyFailure: .concurrency
    case .rejected(let rejection) where rejection.endsSession: .lost(reason: rejection.description)
    case .rejected(let rejection) where rejection.isConflict: self.plan == .pipelined ? .wrongAssumption : .failed(.conflict)
    case .rejected(let rejection) where rejection.isUnexpectedCount && self.plan == .pipelined: .wrongAssumption
    case .rejected(let rejection): .failed(.unavailable(reason: rejection.description))
    }
  }
}
