/// One transaction of the writer, which all writes shared that waited at its begin.
public struct SQLiteCommit: Sendable {
  /// How many shared it.
  public let writes: Int
  /// From its begin to the disk.
  public let duration: Duration
  /// False where storage failed: full, locked, broken.
  public let isCommitted: Bool
}
