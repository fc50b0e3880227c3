import GRDB
import SallyportServer
import Synchronization

/// Read-only connections, used on the calling thread and by one thread at a time.
///
/// A lookup takes less time than waking another thread. Callers do not wait for a connection: if none is idle, another
/// is opened. Bodies do not suspend, so there are never more connections than running threads. See
/// docs/decisions/0035-reads-on-the-calling-thread.md.
final class ReaderPool: Sendable {
  private struct State {
    var idle: [DatabaseQueue] = []
    var isClosed = false
  }

  private let file: DatabaseFile
  private let state = Mutex(State())

  init(file: DatabaseFile) {
    self.file = file
  }

  /// Runs `body` on one consistent snapshot of the database.
  func read<R>(_ body: (Database) throws(StoreError) -> R) throws(StoreError) -> R {
    let connection = try self.take()
    defer { self.putBack(connection) }
    return try storing {
      try connection.unsafeRead { db in
        try db.run("BEGIN")
        defer {
          // Nothing was written, so a failed COMMIT loses nothing. The connection must not be reused inside a
          // transaction.
          try? db.run("COMMIT")
          if db.isInsideTransaction { try? db.rollback() }
        }
        return try body(db)
      }
    }
  }

  /// Closes idle connections now, and connections in use when they are returned.
  func close() {
    let idle = self.state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    for connection in idle { try? connection.close() }
  }

  private func take() throws(StoreError) -> DatabaseQueue {
    let idle = try self.state.withLock { state throws(StoreError) in
      if state.isClosed { throw .unavailable(reason: "the database is closed") }
      return state.idle.popLast()
    }
    if let idle { return idle }
    return try self.file.openReader()
  }

  private func putBack(_ connection: DatabaseQueue) {
    let isClosed = self.state.withLock { state in
      if !state.isClosed { state.idle.append(connection) }
      return state.isClosed
    }
    if isClosed { try? connection.close() }
  }
}
