public import SallyportProtocol

/// The persistent storage of the authorization server.
///
/// The body of a transaction is synchronous, so it cannot be suspended between a check and a write. If the body
/// returns, the transaction is committed. If it throws, the transaction is rolled back. A failure whose writes must be
/// kept, such as a replay that revokes a grant, is therefore returned and not thrown.
public protocol Store: Sendable {
  /// Runs `body` in a durable transaction, and returns after the commit has reached the disk.
  ///
  /// `body` may run more than once, and its result is discarded if the commit fails, so it must have no side effects
  /// other than its writes.
  /// - Throws: The error of `body`; ``StoreError/unavailable(reason:)`` if the commit failed and nothing was written;
  ///   or ``StoreError/outcomeUnknown(reason:)`` if the commit may have succeeded.
  func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R

  /// Runs `body` on a consistent snapshot of the store. Reads do not wait for writes.
  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R

  /// Removes rows that expired or ended before `now`, in short transactions. Rows that are needed to detect a replay
  /// stay.
  /// - Parameter limit: The maximum number of rows to remove. Rows that belong to a removed row, such as the redirect
  ///   URIs of a client, are not counted.
  /// - Returns: The number of removed rows. If it is `limit`, there may be more.
  func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int

  /// The configuration version (``StoreSnapshot/configurationVersion()``) if the store is notified of changes by other
  /// processes; nil if the caller must read the version. A store must return nil if it may have missed a change that
  /// was committed at least 250 milliseconds ago, because the server guarantees that changes take effect within this
  /// time.
  var watchedConfigurationVersion: Int64? { get }

  /// How the identifiers of new grants sort in the indexes of this store.
  var grantOrder: GrantOrder { get }
}

extension Store {
  public var watchedConfigurationVersion: Int64? { nil }
  public var grantOrder: GrantOrder { .creation }
}

/// An error of the store.
public enum StoreError: Error, Equatable, Sendable {
  /// The storage failed, for example because the disk is full. The reason is for the operator.
  case unavailable(reason: String)
  /// A commit was sent, but its response was lost, so it is unknown whether the data was written. A caller that repeats
  /// the write must expect that the first write may have succeeded. The reason is for the operator.
  case outcomeUnknown(reason: String)
  /// This version of the program cannot use the stored data: a newer version wrote it, it is damaged, or it is not data
  /// of this program. The operation fails again until an operator solves the problem.
  case unusable(reason: String)
  /// A write would break a rule of the data. For example, a row with the same unique value exists, the row that a new
  /// row refers to does not exist, or the grant of a new token is revoked.
  case conflict
  /// Thrown by the body of a transaction to roll back.
  case rolledBack
}
