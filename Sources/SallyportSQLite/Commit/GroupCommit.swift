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
  private let line = Mutex(Line())
  private let count = Atomic(0)
  private let observer = Mutex<(@Sendable (SQLiteCommit) -> Void)?>(nil)

  /// How many batches there were.
  var batches: Int { self.count.load(ordering: .relaxed) }

  /// How many bodies wait for their turn.
  var waiting: Int { self.line.withLock { $0.requests.count } }

  init(pool: DatabasePool) {
    self.pool = pool
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
    let isMore = self.line.withLock { line in
      line.isAwaited = !line.requests.isEmpty
      return line.isAwaited
    }
    if isMore { self.schedule() }
  }

  /// - Returns: whether storage did it; a body that was alone and refused counts as done.
  private func commit(_ batch: [WriteRequest], _ db: Database) -> Bool {
    var outcomes: [WriteRequest.Outcome] = []
    outcomes.reserveCapacity(batch.count)
    do throws(StoreError) {
      try storing { try db.beginTransaction(.immediate) }
      for request in batch {
        if batch.count > 1 { try db.statement("SAVEPOINT body") }
        outcomes.append(request.run(db))
        try self.conclude(outcomes[outcomes.count - 1], isAlone: batch.count == 1, db)
      }
      try storing { try db.commit() }
    } catch {
      // A rollback that fails too (SQLite may have done it already) adds nothing to what the callers hear.
      if db.isInsideTransaction { try? db.rollback() }
      for outcome in outcomes { outcome.settle(error) }
      for request in batch[outcomes.count...] { request.fail(error) }
      if case .unavailable = error { return false }
      return true
    }
    for outcome in outcomes { outcome.settle(nil) }
    return true
  }

  /// Takes back what a body wrote that threw.
  /// - Throws: only where the whole transaction has to end.
  private func conclude(_ outcome: WriteRequest.Outcome, isAlone: Bool, _ db: Database) throws(StoreError) {
    // After some errors (a full disk, an I/O error) SQLite ends the whole transaction by itself: the neighbours are lost too.
    guard db.isInsideTransaction else {
      if case .unavailable = outcome.failure { throw outcome.failure ?? .refused }
      throw .unavailable(reason: "the transaction was rolled back")
    }
    if isAlone {
      if let failure = outcome.failure { throw failure }
    } else {
      if outcome.failure != nil { try db.statement("ROLLBACK TO body") }
      try db.statement("RELEASE body")
    }
  }
}
