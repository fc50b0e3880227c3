/// Proof that a change is recorded in the audit trail. The transaction methods that revoke access require it.
///
/// Only ``StoreTransaction/record(_:)`` creates this value. The value cannot leave the body of its transaction, because
/// the result of a transaction must be copyable, and this value is not. One record can cover several changes: a
/// sign-out ends a session and its grants.
public struct Recorded: ~Copyable {
  fileprivate init() {}
}

extension StoreTransaction {
  /// Adds a record to the audit trail (``insert(_:)``). Call this in the transaction of the change that the record
  /// describes, before the change.
  public mutating func record(_ record: AuditRecord) throws(StoreError) -> Recorded {
    try self.insert(record)
    return Recorded()
  }
}
