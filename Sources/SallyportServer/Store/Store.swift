public import SallyportProtocol

/// The authorization server's memory.
///
/// A body is synchronous: between a check and its write there is no suspension. Returning commits, throwing rolls back; a
/// refusal that must last (a replay that revokes a grant) is therefore a *returned* value.
public protocol Store: Sendable {
  /// Runs `body` in one durable transaction and returns after the commit reached the disk.
  ///
  /// `body` may run more than once, or for nothing when the commit fails: it must have no effect but its writes.
  /// - Throws: what `body` throws, or ``StoreError/unavailable(reason:)`` where the commit failed and nothing was written.
  func write<R: Sendable>(
    _ body: @escaping @Sendable (inout any StoreTransaction) throws(StoreError) -> R
  ) async throws(StoreError) -> R

  /// Runs `body` on one consistent state of the store. Reads never wait for writes.
  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing any StoreSnapshot) throws(StoreError) -> R
  ) async throws(StoreError) -> R

  /// Removes at most `limit` rows that ended before `now`, in one short transaction.
  /// - Returns: how many were removed; as long as this is `limit`, there may be more.
  func removeExpired(before now: Timestamp, limit: Int) async throws(StoreError) -> Int
}

/// Why the store refused.
public enum StoreError: Error, Equatable, Sendable {
  /// Storage failed: full, locked, broken. The reason is for the operator.
  case unavailable(reason: String)
  /// What is stored is nothing that this version of the program can use: a newer version wrote it, it is damaged, or it is something else
  /// altogether. Thrown by what opens a store; opening it again throws it again, until an operator has done something about it.
  case unusable(reason: String)
  /// A row with the same unique name is there already.
  case conflict
  /// The caller's own reason to roll back.
  case refused
}
