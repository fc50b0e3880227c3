import GRDB
import SallyportServer
import Synchronization

/// Gives all writes that wait at the same moment one transaction and one commit, and with it one wait for the disk.
///
/// Each body has a savepoint of its own: one that throws takes back its own writes only. Callers go on after the commit; where
/// it fails, nobody's write is there and everybody is told.
final class GroupCommit: Sendable {
  private struct Line {
    var requests: [WriteRequest] = []
    /// Whether the writer's queue will come to look.
    var isAwaited = false
  }

  /// Bounds how long one transaction holds the lock that other processes wait for.
  private static let largestBatch = 256

  private let pool: DatabasePool
  private let checkpointer: Checkpointer
  private let line = Mutex(Line())
  private let count = Atomic(0)
  private let observer = Mutex<(@Sendable (SQLiteCommit) -> Void)?>(nil)

  /// How many batches there were.
  var batches: Int { self.count.load(ordering: .relaxed) }

  /// How many bodies wait for their turn.
  var waiting: Int { self.line.withLock { $0.requests.count } }

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
    let isFirst = self.line.withLock { line in
      line.requests.append(request)
      defer { line.isAwaited = true }
      return !line.isAwaited
    }
    if isFirst { self.schedule() }
  }

  private func schedule() {
    self.pool.asyncWriteWithoutTransaction { db in self.drain(db) }
  }

  /// Takes one batch and lets other work of the writer's queue pass before the next.
  private func drain(_ db: Database) {
    let batch = self.line.withLock { line in
      let batch = Array(line.requests.prefix(Self.largestBatch))
      line.requests.removeFirst(batch.count)
      return batch
    }
    self.count.add(1, ordering: .relaxed)
    let started = ContinuousClock.now
    let isCommitted = self.commit(batch, db)
    if let observer = self.observer.withLock({ $0 }) {
      observer(SQLiteCommit(writes: batch.count, duration: started.duration(to: .now), isCommitted: isCommitted))
    }
    self.checkpointer.committed(on: db)
    let isMore = self.line.withLock { line in
      line.isAwaited = !line.requests.isEmpty
      return line.isAwaited
    }
    if isMore { self.schedule() }
  }

  /// Runs the bodies one after the other. A body that throws after it has written takes the others' writes with it, so they all run again, each
  /// with a savepoint to go back to. That is rare, and without it nobody pays for savepoints.
  /// - Returns: whether storage did what it was asked.
  private func commit(_ batch: [WriteRequest], _ db: Database) -> Bool {
    let attempts = batch.count > 1 ? [Undo.transaction, .savepoint] : [.transaction]
    for undo in attempts {
      switch self.run(batch, undo, db) {
      case .committed(let outcomes):
        outcomes.forEach { $0.settle(nil) }
        return true
      case .lost(let outcomes, let error):
        outcomes.forEach { $0.settle(error) }
        batch[outcomes.count...].forEach { $0.fail(error) }
        return false
      case .undone(let outcomes):
        guard batch.count == 1 else { continue }
        outcomes.forEach { $0.settle(nil) }
        return true
      }
    }
    return true
  }

  /// What is taken back where a body throws.
  private enum Undo { case transaction, savepoint }

  private enum Run {
    case committed([WriteRequest.Outcome])
    /// Nothing was written, since the last of these bodies threw.
    case undone([WriteRequest.Outcome])
    /// Nothing was written, since storage failed; so many bodies had run.
    case lost([WriteRequest.Outcome], StoreError)
  }

  private func run(_ batch: [WriteRequest], _ undo: Undo, _ db: Database) -> Run {
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
          try storing { try db.rollback() }
          return .undone(outcomes)
        }
      }
      try db.run("COMMIT")
      return .committed(outcomes)
    } catch {
      // A rollback that fails too (SQLite may have done it already) adds nothing to what the callers hear.
      if db.isInsideTransaction { try? db.rollback() }
      // What one body left for the commit to refuse is no conflict of the others.
      return .lost(outcomes, error == .conflict ? .unavailable(reason: "the commit was refused") : error)
    }
  }

  /// After some errors (a full disk, an I/O error) SQLite ends the whole transaction by itself: the neighbours are lost too.
  private static func checkTransaction(_ outcome: WriteRequest.Outcome, _ db: Database) throws(StoreError) {
    guard !db.isInsideTransaction else { return }
    if case .unavailable = outcome.failure { throw outcome.failure ?? .refused }
    throw .unavailable(reason: "the transaction was rolled back")
  }
}
