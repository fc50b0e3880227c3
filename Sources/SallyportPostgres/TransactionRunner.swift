import SallyportServer

/// Runs the body of a transaction, and repeats it until the transaction is committed or has failed.
struct TransactionRunner {
  /// The maximum number of times that a body runs.
  private static var maximumAttempts: Int { 50 }
  /// The maximum number of times that a body runs again because its connection failed. An idle connection may have
  /// failed long ago, so one failure says little about the current state of the database.
  private static var maximumLosses: Int { 2 }

  let source: ConnectionSource
  /// When to give up.
  let deadline: ContinuousClock.Instant
  let statistics: Statistics

  func write<R>(
    _ isolation: IsolationLevel = .serializable, _ body: (inout PostgresTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try self.repeating(.pipelined, isolation) { (attempt) throws(StoreError) in
      var transaction = PostgresTransaction(attempt: attempt)
      return try body(&transaction)
    }
  }

  func read<R>(_ body: (PostgresSnapshot) throws(StoreError) -> R) throws(StoreError) -> R {
    try self.repeating(.singleRead, .snapshot) { (attempt) throws(StoreError) in
      try body(PostgresSnapshot(attempt: attempt))
    }
  }

  /// - Parameter firstPlan: How the first attempt sends its statements. If the plan assumes something that turns out to
  ///   be wrong (see ``TransactionAttempt/Plan``), the next attempts use a plan that does not assume it.
  private func repeating<R>(
    _ firstPlan: TransactionAttempt.Plan, _ isolation: IsolationLevel,
    _ body: (TransactionAttempt) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    var plan = firstPlan
    var losses = 0
    var reason = Self.tooLateReason
    for number in 0..<Self.maximumAttempts {
      let connection = try self.source.connection(until: self.deadline)
      guard self.hasTime(for: connection) else { break }
      let roundTrips = connection.roundTrips
      defer { self.statistics.count(roundTrips: connection.roundTrips - roundTrips) }
      let attempt = TransactionAttempt(connection, plan, isolation, until: self.deadline)
      switch try self.run(body, in: attempt) {
      case .ended(let result): return try result.get()
      case .interrupted(.concurrency):
        reason = Self.conflictReason
        self.pause(afterAttempt: number)
      case .interrupted(.wrongAssumption):
        plan = .stepwise
        reason = Self.outOfTimeReason
      case .interrupted(.firstReadChanged):
        plan = .snapshot
        reason = Self.outOfTimeReason
      case .interrupted(.lost(let cause)):
        self.source.close()
        losses += 1
        reason = cause
        guard losses <= Self.maximumLosses else { throw .unavailable(reason: reason) }
      case .interrupted(.failed(let error)): throw error
      }
      guard ContinuousClock.now < self.deadline else { break }
    }
    throw .unavailable(reason: reason)
  }

  /// Whether enough time is left for an attempt on the connection: two round trips.
  ///
  /// An attempt with less time would get no response by its deadline, and would close the connection. Over a slow
  /// network, each transaction could then spend its time on a new connection, and none would succeed. Without the
  /// attempt, the connection stays open for the next transaction.
  private func hasTime(for connection: PostgresConnection) -> Bool {
    ContinuousClock.now + connection.shortestRoundTrip * 2 < self.deadline
  }

  private static let tooLateReason = "too little time was left for a transaction"
  private static let conflictReason = "the transaction conflicted with concurrent transactions"
  private static let outOfTimeReason = "too little time was left to run the transaction again"

  private enum Outcome<R> {
    case ended(Result<R, StoreError>)
    case interrupted(TransactionAttempt.Interruption)
  }

  /// Runs the body once, and commits unless the body throws an error.
  /// - Throws: ``StoreError/outcomeUnknown(reason:)`` if it is unknown whether the COMMIT succeeded, for example
  ///   because the connection failed. The transaction is then not repeated, because it may have been committed.
  private func run<R>(
    _ body: (TransactionAttempt) throws(StoreError) -> R, in attempt: TransactionAttempt
  ) throws(StoreError) -> Outcome<R> {
    let result = Result { () throws(StoreError) in try body(attempt) }
    if case .failure = result {
      attempt.checkQueuedWrites()
    } else {
      do throws(TransactionAttempt.CommitFailure) {
        try attempt.commit()
        return .ended(result)
      } catch {
        switch error {
        case .unknown(let reason):
          self.source.close()
          throw .outcomeUnknown(reason: reason)
        case .interrupted(let interruption):
          attempt.rollBack()
          return .interrupted(interruption)
        }
      }
    }
    attempt.rollBack()
    // After an interruption, the body's error does not matter: the body runs again, or the interruption has its own
    // error.
    return attempt.interruption.map { .interrupted($0) } ?? .ended(result)
  }

  /// Waits for a random time, so that transactions that conflicted are less likely to conflict again. The limit is 0.5
  /// ms at first, and doubles with each attempt up to 32 ms.
  private func pause(afterAttempt number: Int) {
    Socket.sleep(.microseconds(Int.random(in: 0...(500 << min(number, 6)))))
  }
}
