import GRDB
public import SallyportProtocol
public import SallyportServer

/// The store in one SQLite file, for one machine and any number of processes on it.
///
/// The file is in WAL mode with `synchronous=FULL`: what ``write(_:)`` has returned survives a power cut. Writes that arrive
/// together share one commit. The files are readable by their owner only.
public final class SQLiteStore: Store {
  let pool: DatabasePool
  let commits: GroupCommit
  let readers: ReaderPool
  private let checkpointer: Checkpointer
  private let abandonedCodes = AbandonedCodes()

  /// Opens the database, makes it where there is none, and brings its schema up to date.
  /// - Parameter path: the file; a directory that does not exist is made with mode 0700.
  /// - Throws: ``StoreError/unavailable(reason:)`` for what may pass, ``StoreError/unusable(reason:)`` for what does not: a file that a newer
  ///   version of the schema wrote, that is damaged, or that is no database of this kind.
  public convenience init(path: String) throws(StoreError) {
    try self.init(DatabaseFile(path: path))
  }

  /// - Parameter patience: how long a write waits for another process's.
  convenience init(path: String, patience: Duration) throws(StoreError) {
    try self.init(DatabaseFile(path: path, patience: patience))
  }

  private init(_ file: DatabaseFile) throws(StoreError) {
    let pool = try file.open()
    self.pool = pool
    self.readers = ReaderPool(file: file)
    self.checkpointer = Checkpointer(file: file)
    self.commits = GroupCommit(pool: pool, checkpointer: self.checkpointer)
  }

  /// Closes the files after the work that was begun. Every later call throws.
  /// - Throws: ``StoreError/unavailable(reason:)``
  public func close() throws(StoreError) {
    self.readers.close()
    self.checkpointer.close()
    try storing { try self.pool.close() }
  }

  /// How many writes wait for the next transaction.
  public var waitingWrites: Int { self.commits.waiting }

  /// Lets somebody hear of each transaction, on the writer's thread, which must not be kept waiting. The last observer is the one that hears.
  public func observeCommits(by observer: @escaping @Sendable (SQLiteCommit) -> Void) {
    self.commits.observe(by: observer)
  }

  public func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try await self.commits.run { (tx) throws(StoreError) in
      var transaction: any StoreTransaction = tx
      return try body(&transaction)
    }
  }

  public func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try self.readers.read { (db) throws(StoreError) in try body(SQLiteSnapshot(db: db)) }
  }

  /// Removes rows that ended and that no replay has to meet any more: a consumed code stays until its grant ends, a replaced
  /// refresh token until it would have expired. A grant ends when it expires, is revoked, or with its last usable credential.
  ///
  /// To keep what ended for a while, give a time in the past.
  /// - Throws: ``StoreError/unavailable(reason:)``
  public func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
    let abandoned = try await self.abandonedCodes.find(before: now, limit: limit, in: self.readers)
    return try await self.commits.run { (tx) throws(StoreError) in
      try tx.removeExpired(before: now, limit: limit, abandoned: abandoned)
    }
  }
}
