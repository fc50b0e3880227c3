import Dispatch
import GRDB
import SallyportProtocol
import SallyportServer
import Synchronization
import Testing

@testable import SallyportSQLite

@Suite("Waiting writes share one commit", .timeLimit(.minutes(3)))
struct GroupCommitTests {
  /// Makes commits fail, as a broken disk does.
  final class FailingDisk: TransactionObserver {
    struct Failure: Error {}
    let isBroken = Atomic(false)

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws {
      if self.isBroken.load(ordering: .relaxed) { throw Failure() }
    }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
  }

  /// A store whose writer can be blocked, so that all writes in the meantime form one batch.
  struct BlockableStore {
    let store: SQLiteStore
    private let gate = DispatchSemaphore(value: 0)

    init(_ directory: TemporaryDirectory) throws {
      self.store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    }

    /// Starts all writes while the writer is blocked, and runs them as one batch. Returns the error of each write, or
    /// `nil` for a write that succeeded.
    func batch(
      _ count: Int, _ body: @escaping @Sendable (Int, inout SQLiteTransaction) throws(StoreError) -> Void
    ) async -> [Int: StoreError?] {
      let gate = self.gate
      self.store.pool.asyncWriteWithoutTransaction { _ in gate.wait() }
      return await withTaskGroup(of: (Int, StoreError?).self) { [store] group in
        for index in 0..<count {
          group.addTask {
            do throws(StoreError) {
              try await store.commits.run { (tx) throws(StoreError) in try body(index, &tx) }
              return (index, nil)
            } catch {
              return (index, error)
            }
          }
        }
        while store.commits.waiting < count { await Task.yield() }
        gate.signal()
        return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
    }

    /// Returns the identifiers of the consumed interactions. In SQLite, their table still has its old name,
    /// `burned_interaction`.
    func identifiers() async throws -> Set<String> {
      try await self.store.pool.read { db in try String.fetchSet(db, sql: "SELECT id FROM burned_interaction") }
    }
  }

  /// Checks that all writes of the batch failed and changed nothing, and that the next batch works.
  private static func expectAllFailed(_ outcomes: [Int: StoreError?], _ blockable: BlockableStore) async throws {
    for (index, error) in outcomes {
      guard case .unavailable = error else {
        Issue.record("write \(index): \(String(describing: error))")
        continue
      }
    }
    #expect(try await blockable.identifiers().isEmpty)
    let kept = await blockable.batch(2) { (index, tx) throws(StoreError) in try Self.consume("\(index)", &tx) }
    #expect(kept.values.allSatisfy { $0 == nil })
  }

  private static func consume(_ id: String, _ tx: inout SQLiteTransaction) throws(StoreError) {
    guard try tx.consumeInteraction(id, expires: .now()) else { throw .conflict }
  }

  @Test("100 writes are one transaction, and a write that throws undoes only its own changes")
  func oneTransaction() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let blockable = try BlockableStore(directory)
    let outcomes = await blockable.batch(100) { (index, tx) throws(StoreError) in
      try Self.consume("\(index)", &tx)
      if index.isMultiple(of: 4) { throw .rolledBack }
      try Self.consume("\(index)-second", &tx)
    }
    #expect(blockable.store.commits.batches == 1)
    let good = Set((0..<100).filter { !$0.isMultiple(of: 4) })
    for (index, error) in outcomes { #expect(error == (good.contains(index) ? nil : .rolledBack)) }
    #expect(try await blockable.identifiers() == Set(good.flatMap { ["\($0)", "\($0)-second"] }))
  }

  @Test("if a commit fails, all its writes fail and change nothing, and the next commit works", arguments: [1, 5])
  func failingCommit(count: Int) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let blockable = try BlockableStore(directory)
    let disk = FailingDisk()
    blockable.store.pool.add(transactionObserver: disk, extent: .observerLifetime)
    disk.isBroken.store(true, ordering: .relaxed)
    let lost = await blockable.batch(count) { (index, tx) throws(StoreError) in
      try Self.consume("\(index)", &tx)
      if index == 3 { throw .rolledBack }
    }
    for (index, error) in lost {
      if index == 3 {
        #expect(error == .rolledBack)
      } else {
        guard case .unavailable = error else {
          Issue.record("write \(index): \(String(describing: error))")
          continue
        }
      }
    }
    #expect(try await blockable.identifiers().isEmpty)
    disk.isBroken.store(false, ordering: .relaxed)
    let kept = await blockable.batch(count) { (index, tx) throws(StoreError) in try Self.consume("\(index)", &tx) }
    #expect(kept.values.allSatisfy { $0 == nil })
    #expect(try await blockable.identifiers().count == count)
  }

  @Test("if SQLite rolls back the transaction, all its writes fail and nothing changes")
  func lostTransaction() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let blockable = try BlockableStore(directory)
    let outcomes = await blockable.batch(5) { (index, tx) throws(StoreError) in
      try Self.consume("\(index)", &tx)
      if index == 2 { try tx.change("ROLLBACK") }
    }
    try await Self.expectAllFailed(outcomes, blockable)
  }

  @Test("if a write violates a deferred constraint, all writes of its commit fail, but not with a conflict")
  func refusedCommit() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let blockable = try BlockableStore(directory)
    try await blockable.store.pool.write { db in try db.execute(sql: SchemaTests.rows) }
    let outcomes = await blockable.batch(3) { (index, tx) throws(StoreError) in
      try Self.consume("\(index)", &tx)
      if index == 1 {
        // The foreign key of `grant_id` is the only deferred foreign key: SQLite checks it at the commit.
        try tx.change(
          """
          INSERT INTO device_authorization (fingerprint, user_code, client_id, scope, resources, poll_interval, created_at, expires_at,
            decision, decided_at, account_id, authenticated_at, consumed_at, grant_id)
          VALUES (randomblob(32), randomblob(32), 'c', '', '', 5, 0, 9, 'allowed', 1, 'a', 1, 2, 'nobody')
          """)
      }
    }
    try await Self.expectAllFailed(outcomes, blockable)
  }

  @Test("a task that is canceled while it waits still receives the result of its write")
  func canceled() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    let gate = DispatchSemaphore(value: 0)
    store.pool.asyncWriteWithoutTransaction { _ in gate.wait() }
    let writers = (0..<20).map { index in
      Task { try await store.write { (tx) throws(StoreError) in try tx.consumeInteraction("\(index)", expires: .now()) } }
    }
    while store.commits.waiting < writers.count { await Task.yield() }
    for writer in writers { writer.cancel() }
    gate.signal()
    for writer in writers { #expect(try await writer.value) }
    let count = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM burned_interaction") }
    #expect(count == writers.count)
  }

  final class Acknowledged: Sendable {
    let ids = Mutex(Set<String>())
  }

  @Test("if a store is closed during writes, acknowledged writes are kept, and the other writes fail", arguments: 0..<5)
  func closing(round: Int) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    let store = try SQLiteStore(path: path)
    let acknowledged = Acknowledged()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for index in 0... {
            let id = "\(worker)-\(index)"
            do throws(StoreError) {
              _ = try await store.write { (tx) throws(StoreError) in try tx.consumeInteraction(id, expires: .now()) }
            } catch { return }
            acknowledged.ids.withLock { _ = $0.insert(id) }
          }
        }
      }
      while acknowledged.ids.withLock({ $0.count }) < 20 * (round + 1) { await Task.yield() }
      try store.close()
      try await group.waitForAll()
    }
    let reopened = try SQLiteStore(path: path)
    let found = try await reopened.pool.read { try String.fetchSet($0, sql: "SELECT id FROM burned_interaction") }
    // A write is acknowledged after its commit, and a failed write changes nothing.
    #expect(found == acknowledged.ids.withLock { $0 })
  }

  @Test("a write that waits too long for the lock of another store fails, and a later write works")
  func lockedOut() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    let (holder, store) = (try SQLiteStore(path: path), try SQLiteStore(path: path, lockTimeout: .milliseconds(50)))
    let (began, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    holder.pool.asyncWriteWithoutTransaction { db in
      do {
        try db.beginTransaction(.immediate)
        began.signal()
        end.wait()
        try db.rollback()
      } catch {
        Issue.record(error)
      }
    }
    // Wait on a thread of its own, because a blocking call must not occupy a thread of Swift's concurrency pool.
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "wait").async {
        began.wait()
        continuation.resume()
      }
    }
    await #expect(throws: StoreError.unavailable(reason: "SQLite error 5: database is locked")) {
      try await store.write { (tx) throws(StoreError) in try tx.consumeInteraction("a", expires: .now()) }
    }
    end.signal()
    _ = try await holder.write { (tx) throws(StoreError) in try tx.consumeInteraction("b", expires: .now()) }
    #expect(try await store.write { (tx) throws(StoreError) in try tx.consumeInteraction("a", expires: .now()) })
  }
}
