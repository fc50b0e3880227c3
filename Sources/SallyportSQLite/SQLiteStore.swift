import GRDB
public import SallyportProtocol
public import SallyportServer

/// A store in one SQLite file, for any number of processes on one machine.
///
/// The file is in WAL mode with `synchronous=FULL`, so data survives a power failure once ``write(_:)`` has returned.
/// Concurrent writes share one commit. Only the owner can read the files.
public final class SQLiteStore: Store {
  let pool: DatabasePool
  let commits: GroupCommit
  let readers: ReaderPool
  private let checkpointer: Checkpointer
  private let abandonedCodes = AbandonedCodes()

  /// Opens the database, creates it if it does not exist, and migrates its schema.
  /// - Parameter path: The database file. If its directory is missing, the directory is created with mode 0700. The
  ///   parent of the directory must exist.
  /// - Throws: ``StoreError/unusable(reason:)`` if the file is damaged, is not a SQLite database, has a newer schema,
  ///   or cannot be migrated; ``StoreError/unavailable(reason:)`` for any other error, which may be temporary.
  public convenience init(path: String) throws(StoreError) {
    try self.init(DatabaseFile(path: path))
  }

  /// - Parameter lockTimeout: How long a write waits for the write of another process.
  convenience init(path: String, lockTimeout: Duration) throws(StoreError) {
    try self.init(DatabaseFile(path: path, lockTimeout: lockTimeout))
  }

  private init(_ file: DatabaseFile) throws(StoreError) {
    let pool = try file.open()
    self.pool = pool
    self.readers = ReaderPool(file: file)
    self.checkpointer = Checkpointer(file: file)
    self.commits = GroupCommit(pool: pool, checkpointer: self.checkpointer)
  }

  /// Closes the files after work in progress has finished. Every later read and write throws.
  /// - Throws: ``StoreError/unavailable(reason:)``
  public func close() throws(StoreError) {
    self.readers.close()
    self.checkpointer.close()
    try convertingErrors { try self.pool.close() }
  }

  /// The number of writes that wait for the next transaction.
  public var waitingWrites: Int { self.commits.waiting }

  /// Sets the observer that is called after each transaction, replacing any earlier one. The observer runs on the
  /// writer's thread and must return quickly.
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
    try await self.readers.read { (db) throws(StoreError) in try body(SQLiteSnapshot(db: db)) }
  }

  /// Removes rows that have ended and are not needed to detect a replay. A consumed code stays until its grant ends,
  /// and a replaced refresh token until it would have expired or its grant ends. A grant ends when it expires, is
  /// revoked, or loses its last usable credential.
  ///
  /// Clients that no operator registered are also removed if they have no grants and have not been used for some time
  /// (``ClientLeaseRecord``).
  ///
  /// To keep rows for some time after they have ended, pass a time in the past.
  /// - Parameter limit: The maximum number of rows to remove, not counting rows that belong to a removed row.
  /// - Returns: The number of removed rows. If it is `limit`, there may be more.
  /// - Throws: ``StoreError/unavailable(reason:)``
  public func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int {
    // Codes that expired without being redeemed. They are searched without an index (``AbandonedCodes``).
    let abandoned = try await self.abandonedCodes.find(before: now, limit: limit, in: self.readers)
    return try await self.commits.run { (tx) throws(StoreError) in
      try tx.removeExpired(before: now, limit: limit, abandoned: abandoned)
    }
  }
}
