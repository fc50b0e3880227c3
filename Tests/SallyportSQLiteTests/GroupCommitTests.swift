import Dispatch
import GRDB
import SallyportProtocol
import SallyportServer
import Synchronization
import Testing

@testable import SallyportSQLite

@Suite("Writes that wait together share one commit", .timeLimit(.minutes(3)))
struct GroupCommitTests {
  /// Lets the next commit fail, as a disk would.
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

  /// A store whose writer is busy until ``release()``, so that what is written meanwhile is one batch.
  struct Held {
    let store: SQLiteStore
    private let gate = DispatchSemaphore(value: 0)

    init(_ directory: TemporaryDirectory) throws {
      self.store = try SQLiteStore(path: "\(directory.path)/a.sqlite")
    }

    /// Starts all the writes, lets them run in one batch and returns what became of each.
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

    func burned() async throws -> Set<String> {
      try await self.store.pool.read { db in try String.fetchSet(db, sql: "SELECT id FROM burned_interaction") }
    }
  }

  private static func burn(_ id: String, _ tx: inout SQLiteTransaction) throws(StoreError) {
    guard try tx.burnInteraction(id, expires: .now()) else { throw .conflict }
  }

  @Test("100 writes are one transaction; those that throw take back their own only")
  func oneTransaction() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let held = try Held(directory)
    let outcomes = await held.batch(100) { (index, tx) throws(StoreError) in
      try Self.burn("\(index)", &tx)
      if index.isMultiple(of: 4) { throw .refused }
      try Self.burn("\(index)-second", &tx)
    }
    #expect(held.store.commits.batches == 1)
    let good = Set((0..<100).filter { !$0.isMultiple(of: 4) })
    for (index, error) in outcomes { #expect(error == (good.contains(index) ? nil : .refused)) }
    #expect(try await held.burned() == Set(good.flatMap { ["\($0)", "\($0)-second"] }))
  }

  @Test("A commit that fails fails for everybody in it and leaves nothing; the next works", arguments: [1, 5])
  func failingCommit(count: Int) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let held = try Held(directory)
    let disk = FailingDisk()
    held.store.pool.add(transactionObserver: disk, extent: .observerLifetime)
    disk.isBroken.store(true, ordering: .relaxed)
    let lost = await held.batch(count) { (index, tx) throws(StoreError) in
      try Self.burn("\(index)", &tx)
      if index == 3 { throw .refused }
    }
    for (index, error) in lost {
      if index == 3 {
        #expect(error == .refused)
      } else {
        guard case .unavailable = error else {
          Issue.record("write \(index): \(String(describing: error))")
          continue
        }
      }
    }
    #expect(try await held.burned().isEmpty)
    disk.isBroken.store(false, ordering: .relaxed)
    let kept = await held.batch(count) { (index, tx) throws(StoreError) in try Self.burn("\(index)", &tx) }
    #expect(kept.values.allSatisfy { $0 == nil })
    #expect(try await held.burned().count == count)
  }

  @Test("Where SQLite ends the transaction itself, the neighbours are told and nothing is left")
  func lostTransaction() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let held = try Held(directory)
    let outcomes = await held.batch(5) { (index, tx) throws(StoreError) in
      try Self.burn("\(index)", &tx)
      if index == 2 { try tx.change("ROLLBACK") }
    }
    for (index, error) in outcomes {
      guard case .unavailable = error else {
        Issue.record("write \(index): \(String(describing: error))")
        continue
      }
    }
    #expect(try await held.burned().isEmpty)
    let kept = await held.batch(2) { (index, tx) throws(StoreError) in try Self.burn("\(index)", &tx) }
    #expect(kept.values.allSatisfy { $0 == nil })
  }

  @Test("A writer that another process keeps waiting too long gives up and works later")
  func lockedOut() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    let (holder, store) = (try SQLiteStore(path: path), try SQLiteStore(path: path, patience: .milliseconds(50)))
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
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "wait").async {
        began.wait()
        continuation.resume()
      }
    }
    await #expect(throws: StoreError.unavailable(reason: "SQLite error 5: database is locked")) {
      try await store.write { (tx) throws(StoreError) in try tx.burnInteraction("a", expires: .now()) }
    }
    end.signal()
    _ = try await holder.write { (tx) throws(StoreError) in try tx.burnInteraction("b", expires: .now()) }
    #expect(try await store.write { (tx) throws(StoreError) in try tx.burnInteraction("a", expires: .now()) })
  }
}
