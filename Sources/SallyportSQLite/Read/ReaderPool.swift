import GRDB
import SallyportServer
import Synchronization

/// Read-only connections, each used by one thread at a time, on the thread that asks.
///
/// A look-up takes less than to wake another thread for it. Nobody waits for a connection: where none is idle another is opened, and
/// since a body does not suspend, there are no more of them than threads that run at once.
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

  /// Runs `body` on one consistent state of the database.
  func read<R>(_ body: (Database) throws(StoreError) -> R) throws(StoreError) -> R {
    let connection = try self.take()
    defer { self.putBack(connection) }
    return try storing {
      try connection.unsafeRead { db in
        try db.run("BEGIN")
        defer {
          // Nothing was written, so nothing can be lost; but no connection goes back inside a transaction.
          try? db.run("COMMIT")
          if db.isInsideTransaction { try? db.rollback() }
        }
        return try body(db)
      }
    }
  }

  /// Closes the idle connections now and those in use when they come back.
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
