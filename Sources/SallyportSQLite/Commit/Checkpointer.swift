import GRDB
import GRDBSQLite
import SallyportServer
import Synchronization

/// Moves committed pages from the write-ahead log into the database file while the writer continues.
///
/// With SQLite's automatic checkpoints, the commit that makes the log longer than a limit also does this work, and all
/// other writers wait for it. Here, a separate connection does nearly all of the work, in passes. SQLite starts the log
/// over only when all of its pages are in the database file. A busy writer prevents this by adding pages during each
/// pass, so the writer itself moves the last few pages. See docs/decisions/0037-checkpoints-beside-the-writer.md.
final class Checkpointer: Sendable {
  private struct State {
    /// The number of pages written since the last pass began.
    var pages: Int32 = 0
    var isRunning = false
    /// The number of passes since the writer's last checkpoint.
    var passes = 0
    /// Whether the writer moves the remaining pages after its next transaction.
    var needsWriter = false
    var connection: DatabaseQueue?
    var isClosed = false

    mutating func passEnded() {
      self.isRunning = false
      self.passes += 1
      let isEnough = self.passes >= Checkpointer.minimumPasses && self.pages <= Checkpointer.maximumForWriter
      guard isEnough || self.passes >= Checkpointer.maximumPasses else { return }
      self.passes = 0
      self.needsWriter = true
    }
  }

  /// The number of new pages (4 KiB each) at which a pass begins. The number is small to keep passes short, because
  /// syncs of commits take longer while a pass also writes to the disk.
  private static let interval: Int32 = 250
  /// The number of pages that the writer can move without delaying other writes noticeably.
  private static let maximumForWriter: Int32 = 100
  /// After `minimumPasses`, the writer moves the remaining pages if there are at most `maximumForWriter`. After
  /// `maximumPasses`, it moves them in any case.
  private static let minimumPasses = 4
  private static let maximumPasses = 8

  private let file: DatabaseFile
  private let state = Mutex(State())

  init(file: DatabaseFile) {
    self.file = file
  }

  /// Called after each transaction, on the writer's thread and with its connection.
  func transactionEnded(on writer: Database) {
    let writtenPages = Self.takePages(writer)
    let (startsPass, usesWriter) = self.state.withLock { state in
      state.pages += writtenPages
      let usesWriter = state.needsWriter
      state.needsWriter = false
      let startsPass = state.pages >= Self.interval && !state.isRunning && !state.isClosed && !usesWriter
      if startsPass {
        state.isRunning = true
        state.pages = 0
      }
      return (startsPass, usesWriter)
    }
    if usesWriter { _ = try? writer.checkpoint(.passive) }
    if startsPass { self.begin() }
  }

  /// Closes the connection after the current pass.
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
      // If a checkpoint fails, the log is unchanged and the next pass retries.
      if (try? db.checkpoint(.passive)) != nil { db.synchronizeFile() }
      self.state.withLock { $0.passEnded() }
    }
  }

  /// Returns the connection for passes, and opens it if there is none.
  /// - Returns: `nil` if the checkpointer was closed in the meantime.
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

  /// Returns the number of pages that this connection has written since the last call.
  private static func takePages(_ db: Database) -> Int32 {
    // After the connection was closed, the writer's queue still runs waiting requests, so that they can fail.
    guard let connection = db.sqliteConnection else { return 0 }
    var (pages, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(connection, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 1)
    return pages
  }
}
