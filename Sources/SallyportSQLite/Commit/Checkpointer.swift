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
    /// Pages that were written since the last pass began.
    var pages: Int32 = 0
    var isRunning = false
    /// Passes since the writer had its turn.
    var passes = 0
    /// It is the writer's turn.
    var isRestDue = false
    var connection: DatabaseQueue?
    var isClosed = false

    mutating func passEnded() {
      self.isRunning = false
      self.passes += 1
      let isEnough = self.passes >= Checkpointer.passes && self.pages <= Checkpointer.little
      guard isEnough || self.passes >= Checkpointer.mostPasses else { return }
      self.passes = 0
      self.isRestDue = true
    }
  }

  /// In pages: when a pass begins, and what is little. A page has 4 KiB. Commits wait for the disk beside a pass, so it has few.
  private static let interval: Int32 = 250
  private static let little: Int32 = 100
  /// After `passes` the writer gets what is left, if that is little; after `mostPasses` in any case.
  private static let passes = 4
  private static let mostPasses = 8

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
      // One that fails leaves the log as it is, for the next.
      if (try? db.checkpoint(.passive)) != nil { Self.synchronize(db) }
      self.state.withLock { $0.passEnded() }
    }
  }

  /// SQLite itself synchronizes the file only after a pass that leaves nothing in the log. That is the writer's, which would wait for the
  /// pages of all others; so each waits for its own. What fails here is tried again there.
  private static func synchronize(_ db: Database) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard let file else { return }
    _ = file.pointee.pMethods.pointee.xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY)
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
