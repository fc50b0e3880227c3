import GRDB
import SallyportServer
import Synchronization

/// Runs waiting writes together in one transaction, so that they share one commit and one wait for the disk.
///
/// Each write is a closure, called its body. If a body throws, only its own writes are undone. Every caller waits for
/// the commit, and receives an error if the commit fails. See docs/decisions/0036-group-commit.md.
final class GroupCommit: Sendable {
  private struct Queue {
    var requests: [WriteRequest] = []
    /// Whether ``GroupCommit/drain(_:)`` is scheduled on the dispatch queue of the pool's writer connection.
    var isScheduled = false
  }

  /// The maximum number of writes in one transaction. It limits how long a transaction holds the lock that other
  /// processes wait for.
  private static let largestBatch = 256

  private let pool: DatabasePool
  private let checkpointer: Checkpointer
  private let queue = Mutex(Queue())
  private let count = Atomic(0)
  private let observer = Mutex<(@Sendable (SQLiteCommit) -> Void)?>(nil)

  /// The number of batches so far.
  var batches: Int { self.count.load(ordering: .relaxed) }

  /// The number of bodies that wait to run.
  var waiting: Int { self.queue.withLock { $0.requests.count } }

  init(pool: DatabasePool, checkpointer: Checkpointer) {
    self.pool = pool
    self.checkpointer = checkpointer
  }

  func observe(by observer: @escaping @Sendable (SQLiteCommit) -> Void) {
    self.observer.withLock { $0 = observer }
  }

  func run<R: Sendable>(
    _ body: @escaping @Sendable (inout SQLiteTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    let result: Result<R, StoreError> = await withCheckedContinuation { continuation in
      self.submit(WriteRequest(body: body) { result in continuation.resume(returning: result) })
    }
    return try result.get()
  }

  private func submit(_ request: WriteRequest) {
    let mustSchedule = self.queue.withLock { queue in
      queue.requests.append(request)
      defer { queue.isScheduled = true }
      return !queue.isScheduled
    }
    if mustSchedule { self.schedule() }
  }

  private func schedule() {
    self.pool.asyncWriteWithoutTransaction { db in self.drain(db) }
  }

  /// Runs one batch. The remaining requests are scheduled as a new job, so that other work of the writer can
  /// run first.
  private func drain(_ db: Database) {
    let batch = self.queue.withLock { queue in
      let batch = Array(queue.requests.prefix(Self.largestBatch))
      queue.requests.removeFirst(batch.count)
      return batch
    }
    self.count.add(1, ordering: .relaxed)
    let started = ContinuousClock.now
    let isCommitted = self.commit(batch, db)
    if let observer = self.observer.withLock({ $0 }) {
      observer(SQLiteCommit(writes: batch.count, duration: started.duration(to: .now), isCommitted: isCommitted))
    }
    self.checkpointer.transactionEnded(on: db)
    let hasMore = self.queue.withLock { queue in
      queue.isScheduled = !queue.requests.isEmpty
      return queue.isScheduled
    }
    if hasMore { self.schedule() }
  }

  /// Runs the bodies one after the other, without savepoints. If a body throws after it has written, the whole
  /// transaction is rolled back and all bodies run again, each with a savepoint. That is rare, so most batches avoid
  /// the cost of savepoints.
  /// - Returns: False if storage or a deferred constraint failed. True if the transaction was committed, or was rolled
  ///   back because its only body threw.
  private func commit(_ batch: [WriteRequest], _ db: Database) -> Bool {
    let attempts = batch.count > 1 ? [Undo.transaction, .savepoint] : [.transaction]
    for undo in attempts {
      switch self.run(batch, undo, db) {
      case .committed(let outcomes):
        outcomes.forEach { $0.resume(nil) }
        return true
      case .failed(let outcomes, let error):
        outcomes.forEach { $0.resume(error) }
        batch[outcomes.count...].forEach { $0.fail(error) }
        return false
      case .rolledBack(let outcomes):
        guard batch.count == 1 else { continue }
        outcomes.forEach { $0.resume(nil) }
        return true
      }
    }
    // Not reached: with savepoints, a body that throws doesn't roll back the transaction.
    return true
  }

  /// What is rolled back when a body throws.
  private enum Undo { case transaction, savepoint }

  private enum BatchResult {
    case committed([WriteRequest.Outcome])
    /// Rolled back because the last of these bodies threw after it had written.
    case rolledBack([WriteRequest.Outcome])
    /// Rolled back because storage or a deferred constraint failed after these bodies had run.
    case failed([WriteRequest.Outcome], StoreError)
  }

  private func run(_ batch: [WriteRequest], _ undo: Undo, _ db: Database) -> BatchResult {
    var outcomes: [WriteRequest.Outcome] = []
    outcomes.reserveCapacity(batch.count)
    do throws(StoreError) {
      try db.run("BEGIN IMMEDIATE")
      for request in batch {
        if undo == .savepoint { try db.run("SAVEPOINT body") }
        let before = db.totalChangesCount
        let outcome = request.run(db)
        outcomes.append(outcome)
        try Self.checkTransaction(outcome, db)
        if undo == .savepoint {
          if outcome.failure != nil { try db.run("ROLLBACK TO body") }
          try db.run("RELEASE body")
        } else if outcome.failure != nil, db.totalChangesCount != before {
          try convertingErrors { try db.rollback() }
          return .rolledBack(outcomes)
        }
      }
      try db.run("COMMIT")
      return .committed(outcomes)
    } catch {
      // SQLite may have rolled back already. The callers receive the original error even if this rollback fails.
      if db.isInsideTransaction { try? db.rollback() }
      // If a deferred constraint fails at the commit, SQLite doesn't say which body violated it. A conflict would be
      // wrong for the callers of the other bodies, so no caller receives one.
      return .failed(
        outcomes,
        error == .conflict ? .unavailable(reason: "a write in the same transaction violated a constraint at the commit") : error)
    }
  }

  /// Throws if SQLite has rolled back the whole transaction, as it does after errors such as a full disk. The writes of
  /// the other bodies are then lost too.
  private static func checkTransaction(_ outcome: WriteRequest.Outcome, _ db: Database) throws(StoreError) {
    guard !db.isInsideTransaction else { return }
    switch outcome.failure {
    case .unavailable(let reason)?: throw .unavailable(reason: reason)
    case .unusable(let reason)?: throw .unusable(reason: reason)
    default: throw .unavailable(reason: "the transaction was rolled back")
    }
  }
}
