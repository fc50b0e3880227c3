/// One transaction of the writer, shared by up to 256 writes that were waiting when the transaction began.
public struct SQLiteCommit: Sendable {
  /// The number of writes in the transaction.
  public let writes: Int
  /// The time from the beginning of the transaction until it is on disk.
  public let duration: Duration
  /// False if storage failed, for example because the disk is full or the database is locked.
  public let isCommitted: Bool
}
