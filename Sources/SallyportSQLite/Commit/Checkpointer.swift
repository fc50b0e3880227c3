import GRDB
import GRDBSQLite
import SallyportServer
import Synchronization

/// Brings what was committed from the write-ahead log into the database's file while the writer goes on.
///
/// SQLite by itself lets the commit do it that finds the log long, and whoever waits for a commit then waits for that too: so the slowest
/// hundredth of all sign-ins did (see `docs/performance.md`). Here a connection of its own does nearly all of it. The log begins anew only
/// where all of it is in the file, and a busy writer leaves no such moment; so the little that is left at last is the writer's.
final class Checkpointer: Sendable {
  private struct State {
    /// Pages that were written since the last time.
    var pages: Int32 = 0
    var isRunning = false
    /// It is the writer's turn.
    var isRestDue = false
    var connection: DatabaseQueue?
    var isClosed = false
  }

  /// In pages: when to begin, and what is little. A page has 4 KiB.
  static let interval: Int32 = 1_000
  private static let little = 100
  /// Each pass leaves what was written during it. After so many the writer gets what is left, whatever it is.
  private static let passes = 3

  private let file: DatabaseFile
  private let state = Mutex(State())

  init(file: DatabaseFile) {
    self.file = file
  }

  /// To be told after each transaction, on the writer's thread and with its connection.
  func committed(on writer: Database) {
    let written = Self.takePages(writer)
    let (begins, ends) = self.state.withLock { state in
      state.pages += written
      let ends = state.isRestDue
      state.isRestDue = false
      let begins = state.pages >= Self.interval && !state.isRunning && !state.isClosed && !ends
      if begins {
        state.isRunning = true
        state.pages = 0
      }
      return (begins, ends)
    }
    // One that fails leaves the log as it is, for the next.
    if ends { _ = try? writer.checkpoint(.passive) }
    if begins { self.begin() }
  }

  /// After the work that was begun.
  func close() {
    let connection = self.state.withLock { state in
      state.isClosed = true
      defer { state.connection = nil }
      return state.connection
    }
    try? connection?.close()
  }

  private func begin() {
    guard let connection = try? self.connection() else { return self.state.withLock { $0.isRunning = false } }
    connection.asyncWriteWithoutTransaction { db in
      Self.run(db)
      self.state.withLock { state in
        state.isRunning = false
        state.isRestDue = true
      }
    }
  }

  /// Each pass takes what the log had at its begin, and tells how much that was.
  private static func run(_ db: Database) {
    var before = 0
    for _ in 0..<self.passes {
      guard let (length, _) = try? db.checkpoint(.passive), length - before > self.little else { return }
      before = length
    }
  }

  /// Opened with the first use, which a server without much to do never comes to.
  private func connection() throws(StoreError) -> DatabaseQueue? {
    if let connection = self.state.withLock({ $0.connection }) { return connection }
    let connection = try self.file.openWriter()
    let isClosed = self.state.withLock { state in
      if !state.isClosed { state.connection = connection }
      return state.isClosed
    }
    guard isClosed else { return connection }
    try? connection.close()
    return nil
  }

  /// How many pages this connection has written since it was asked last.
  private static func takePages(_ db: Database) -> Int32 {
    // A writer that is closed still comes to those who wait, to tell them so.
    guard let connection = db.sqliteConnection else { return 0 }
    var (pages, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 1)
    return pages
  }
}
