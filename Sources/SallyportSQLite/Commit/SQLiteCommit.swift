/// One transaction of the writer, shared by up to 256 writes that were waiting when the transaction began.
public struct SQLiteCommit: Sendable {
  /// The number of writes in the transaction.
  public let writes: Int
  /// The time from the beginning of the transaction until it is on disk or rolled back. If one of several writes throws
  /// an error after it has changed rows, the transaction is rolled back and runs again, and the duration includes both
  /// attempts.
  public let duration: Duration
  /// False if storage failed, for example because the disk is full or the database is locked, or if a constraint was
  /// violated at the commit. If the only write of a transaction throws an error of its own, the transaction is rolled
  /// back, and this property is true.
  public let isCommitted: Bool
}
