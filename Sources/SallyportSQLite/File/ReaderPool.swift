import Dispatch
import GRDB
import SallyportServer
import Synchronization

/// Read-only connections, each used by one thread at a time.
///
/// A lookup takes less time than waking another thread, so reads run on the calling thread, usually an event loop. In
/// the rare case that the database is locked, they run again on another thread, which may wait. See
/// docs/decisions/0035-reads-on-the-calling-thread.md and docs/decisions/0077-bounded-waits-for-reads.md.
///
/// Callers do not wait for a connection: if none is idle, a new one is opened. A read does not suspend while it uses a
/// connection, so there are never more connections than threads that have read at the same time.
final class ReaderPool: Sendable {
  private struct Connection {
    let queue: DatabaseQueue
    /// Limits how long the connection waits for locks.
    let busy: BusyWait
  }

  private struct State {
    var idle: [Connection] = []
    var isClosed = false
  }

  /// How long a read may wait for locks on the calling thread.
  private static let maximumBlockingTime: Duration = .milliseconds(5)

  private let file: DatabaseFile
  private let state = Mutex(State())
  /// The number of reads that are waiting for `thread` or running on it.
  private let waiting = Atomic(0)
  /// Runs the reads that wait for a lock, one after the other. More threads would not help, because all of these reads
  /// wait for the same lock.
  private let thread = DispatchQueue(label: "sallyport.waiting-reads")

  init(file: DatabaseFile) {
    self.file = file
  }

  /// Runs `body` on one consistent snapshot of the database. If the database is locked for too long, `body` runs again
  /// on the thread for waiting reads.
  func read<R: Sendable>(_ body: @escaping @Sendable (Database) throws(StoreError) -> R) async throws(StoreError) -> R {
    // If other reads are waiting, the database is probably still locked, and this read would only block its thread.
    if self.waiting.load(ordering: .relaxed) == 0 {
      var wasLocked = false
      do throws(StoreError) {
        let limit = min(self.file.lockTimeout, Self.maximumBlockingTime)
        return try self.attempt(body, waitingAtMost: limit, wasLocked: &wasLocked)
      } catch {
        guard wasLocked else { throw error }
      }
    }
    return try await self.readOnThread(body)
  }

  /// Runs `body` like ``read(_:)``, but waits for locks on the calling thread.
  func readBlocking<R>(_ body: (Database) throws(StoreError) -> R) throws(StoreError) -> R {
    var wasLocked = false
    return try self.attempt(body, waitingAtMost: self.file.lockTimeout, wasLocked: &wasLocked)
  }

  /// Closes idle connections now, and connections in use when they are returned.
  func close() {
    let idle = self.state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    for connection in idle { try? connection.queue.close() }
  }

  /// Runs `body` on the thread for waiting reads.
  private func readOnThread<R: Sendable>(
    _ body: @escaping @Sendable (Database) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    let deadline = ContinuousClock.now + self.file.lockTimeout
    self.waiting.add(1, ordering: .relaxed)
    defer { self.waiting.subtract(1, ordering: .relaxed) }
    let result: Result<R, StoreError> = await withCheckedContinuation { continuation in
      self.thread.async {
        continuation.resume(
          returning: Result { () throws(StoreError) in
            var wasLocked = false
            return try self.attempt(body, waitingAtMost: deadline - .now, wasLocked: &wasLocked)
          })
      }
    }
    return try result.get()
  }

  /// Runs `body` once, on an idle connection or a new one.
  /// - Parameters:
  ///   - limit: How long the calling thread may wait for locks.
  ///   - wasLocked: Set to true if the read fails because the database was locked for longer than `limit`.
  private func attempt<R>(
    _ body: (Database) throws(StoreError) -> R, waitingAtMost limit: Duration, wasLocked: inout Bool
  ) throws(StoreError) -> R {
    let idle = try self.state.withLock { state throws(StoreError) in
      if state.isClosed { throw .unavailable(reason: "the database is closed") }
      return state.idle.popLast()
    }
    let busy = idle?.busy ?? BusyWait()
    busy.begin(limit: limit)
    do throws(StoreError) {
      let connection: Connection
      if let idle { connection = idle } else { connection = Connection(queue: try self.file.openReader(busy), busy: busy) }
      defer { self.putBack(connection) }
      return try Self.snapshot(of: connection.queue, body)
    } catch {
      wasLocked = busy.hasTimedOut
      throw error
    }
  }

  private static func snapshot<R>(
    of queue: DatabaseQueue, _ body: (Database) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try convertingErrors {
      // `unsafeRead` starts no transaction of its own.
      try queue.unsafeRead { db in
        try db.run("BEGIN")
        defer {
          // A failed COMMIT loses nothing, because nothing was written. But the transaction must end before the
          // connection is reused.
          try? db.run("COMMIT")
          if db.isInsideTransaction { try? db.rollback() }
        }
        return try body(db)
      }
    }
  }

  private func putBack(_ connection: Connection) {
    let isClosed = self.state.withLock { state in
      if !state.isClosed { state.idle.append(connection) }
      return state.isClosed
    }
    if isClosed { try? connection.queue.close() }
  }
}
